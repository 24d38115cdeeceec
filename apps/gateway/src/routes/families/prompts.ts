import { ref } from '../openapi/schema';
import { ALWAYS, NEVER, route, type RouteRow } from '../route-rows';

/** Saved prompts. The route kind becomes that of the request that the prompt describes. */
export const prompts: readonly RouteRow[] = [
  route(
    'POST',
    '/prompts/{prompt_id}/completions',
    'chat.completions',
    'prompts.completions',
    'Run a saved prompt',
    { ...ALWAYS, prompt: 'completions', request: ref('PromptRequest'), streams: true },
  ),
  route(
    'POST',
    '/prompts/{prompt_id}/render',
    'chat.completions',
    'prompts.render',
    'Render a saved prompt without calling a model',
    {
      ...NEVER,
      prompt: 'render',
      scopes: ['prompts.render'],
      request: ref('PromptRequest'),
      response: ref('RenderedPrompt'),
    },
  ),
];
