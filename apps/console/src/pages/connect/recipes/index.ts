import { aider } from './aider';
import { anthropic } from './anthropic';
import { claudeCode } from './claude-code';
import { codex } from './codex';
import { continueDev } from './continue';
import { curl } from './curl';
import { cursor } from './cursor';
import { geminiCli } from './gemini-cli';
import { goose } from './goose';
import { langchain } from './langchain';
import { langchainTypeScript } from './langchain-typescript';
import { llamaIndex } from './llamaindex';
import { n8n } from './n8n';
import { openAiPython } from './openai-python';
import { openAiTypeScript } from './openai-typescript';
import { openCode } from './opencode';
import { openTelemetry } from './opentelemetry';
import { openWebUi } from './open-webui';
import type { Recipe } from './recipe';
import { vercelAiSdk } from './vercel-ai-sdk';
import { zed } from './zed';

export { KEY_VARIABLE, type Recipe, type RecipeNeed, type RecipeValues } from './recipe';

/** Recipes of all clients, in the order of the page. */
export const RECIPES: readonly Recipe[] = [
  curl,
  openAiPython,
  openAiTypeScript,
  anthropic,
  claudeCode,
  cursor,
  codex,
  geminiCli,
  langchain,
  langchainTypeScript,
  vercelAiSdk,
  llamaIndex,
  openCode,
  aider,
  continueDev,
  openWebUi,
  goose,
  zed,
  n8n,
  openTelemetry,
];
