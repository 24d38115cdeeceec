import { bedrockCohereEmbeddings } from './embeddings/bedrock-cohere';
import { bedrockNovaEmbeddings } from './embeddings/bedrock-nova';
import { bedrockTitanEmbeddings } from './embeddings/bedrock-titan';
import { cohereEmbeddings } from './embeddings/cohere';
import type { EmbeddingsForm } from './embeddings/embeddings';
import { geminiEmbeddings } from './embeddings/gemini';
import { ollamaEmbeddings } from './embeddings/ollama';
import {
  jinaEmbeddings,
  mistralEmbeddings,
  nvidiaEmbeddings,
  voyageEmbeddings,
} from './embeddings/openai-like';
import { nomicEmbeddings, pineconeEmbeddings, watsonxEmbeddings } from './embeddings/own-forms';
import { vertexEmbeddings } from './embeddings/vertex';
import { bedrockCanvasImages, bedrockStabilityImages } from './images/bedrock';
import { geminiImages } from './images/gemini';
import type { ImagesForm } from './images/images';
import { imagenImages } from './images/vertex-imagen';
import { bedrockRerank } from './rerank/bedrock';
import {
  cohereRerank,
  commonRerank,
  jinaRerank,
  mixedbreadRerank,
  plainRerank,
  voyageRerank,
} from './rerank/common-forms';
import {
  deepinfraRerank,
  nvidiaRerank,
  pineconeRerank,
  vertexRerank,
  watsonxRerank,
} from './rerank/own-forms';
import type { RerankForm } from './rerank/rerank';

/** Forms of requests for embeddings, by name. */
export const EMBEDDINGS_FORMS: ReadonlyMap<string, EmbeddingsForm> = new Map([
  ['bedrock-cohere', bedrockCohereEmbeddings],
  ['bedrock-nova', bedrockNovaEmbeddings],
  ['bedrock-titan', bedrockTitanEmbeddings],
  ['cohere-v2', cohereEmbeddings],
  ['gemini', geminiEmbeddings],
  ['jina', jinaEmbeddings],
  ['mistral', mistralEmbeddings],
  ['nomic', nomicEmbeddings],
  ['nvidia-nim', nvidiaEmbeddings],
  ['ollama', ollamaEmbeddings],
  ['pinecone', pineconeEmbeddings],
  ['vertex', vertexEmbeddings],
  ['voyage', voyageEmbeddings],
  ['watsonx', watsonxEmbeddings],
]);

/** Forms of requests for images, by name. */
export const IMAGES_FORMS: ReadonlyMap<string, ImagesForm> = new Map([
  ['bedrock-canvas', bedrockCanvasImages],
  ['bedrock-stability', bedrockStabilityImages],
  ['vertex-imagen', imagenImages],
  ['gemini-image', geminiImages],
]);

/** Forms of requests that rank documents, by name. */
export const RERANK_FORMS: ReadonlyMap<string, RerankForm> = new Map([
  ['bedrock-rerank', bedrockRerank],
  ['cohere', cohereRerank],
  ['cohere-v2', cohereRerank],
  ['deepinfra', deepinfraRerank],
  ['infinity', plainRerank],
  ['jina', jinaRerank],
  ['mixedbread', mixedbreadRerank],
  ['nvidia-nim', nvidiaRerank],
  ['pinecone', pineconeRerank],
  ['siliconflow', commonRerank],
  ['together-ai', commonRerank],
  ['vertex', vertexRerank],
  ['vllm', plainRerank],
  ['voyage', voyageRerank],
  ['watsonx', watsonxRerank],
]);
