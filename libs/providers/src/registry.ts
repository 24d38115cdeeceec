import { anthropic } from './anthropic/anthropic.provider';
import { azureOpenai } from './azure-openai/azure-openai.provider';
import { cerebras } from './cerebras/cerebras.provider';
import { cohere } from './cohere/cohere.provider';
import { deepinfra } from './deepinfra/deepinfra.provider';
import { deepseek } from './deepseek/deepseek.provider';
import { fireworksAi } from './fireworks-ai/fireworks-ai.provider';
import { google } from './google/google.provider';
import { groq } from './groq/groq.provider';
import { hyperbolic } from './hyperbolic/hyperbolic.provider';
import { mistralAi } from './mistral-ai/mistral-ai.provider';
import { moonshot } from './moonshot/moonshot.provider';
import { nebius } from './nebius/nebius.provider';
import { novitaAi } from './novita-ai/novita-ai.provider';
import { ollama } from './ollama/ollama.provider';
import { openai } from './openai/openai.provider';
import { openrouter } from './openrouter/openrouter.provider';
import { perplexityAi } from './perplexity-ai/perplexity-ai.provider';
import { sambanova } from './sambanova/sambanova.provider';
import { sandbox } from './sandbox/sandbox.provider';
import { togetherAi } from './together-ai/together-ai.provider';
import { xAi } from './x-ai/x-ai.provider';
import { zhipu } from './zhipu/zhipu.provider';
import type { Provider } from './provider';

const ALL: readonly Provider[] = [
  anthropic,
  azureOpenai,
  cerebras,
  cohere,
  deepinfra,
  deepseek,
  fireworksAi,
  google,
  groq,
  hyperbolic,
  mistralAi,
  moonshot,
  nebius,
  novitaAi,
  ollama,
  openai,
  openrouter,
  perplexityAi,
  sambanova,
  sandbox,
  togetherAi,
  xAi,
  zhipu,
];

/** Every provider by its id: the names that `x-gw-provider` and a config's `provider` take. */
export const PROVIDERS: ReadonlyMap<string, Provider> = new Map(
  ALL.map((provider) => [provider.id, provider]),
);
