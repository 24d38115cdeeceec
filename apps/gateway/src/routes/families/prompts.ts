import { ref } from '../openapi/schema';
import { ALWAYS, NEVER, route, type RouteRow } from '../route-rows';

/** Saved prompts. The kind is that of the request which the prompt turns out to be. */
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
    'Render a saved prompt, without a call to a model',
    {
      ...NEVER,
      prompt: 'render',
      scopes: ['prompts.render'],
      request: ref('PromptRequest'),
      response: ref('RenderedPrompt'),
    },
  ),
];
