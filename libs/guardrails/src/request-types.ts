import type { Dialect } from './text/passages';

/** Kinds of requests, as guardrails name them. */
export const REQUEST_TYPES: readonly string[] = [
  'complete',
  'chatComplete',
  'messages',
  'messagesCountTokens',
  'embed',
  'rerank',
  'moderate',
  'ocr',
  'proxy',
  'imageGenerate',
  'imageEdit',
  'imageVariation',
  'createSpeech',
  'createTranscription',
  'createTranslation',
  'realtime',
  'uploadFile',
  'listFiles',
  'retrieveFile',
  'deleteFile',
  'retrieveFileContent',
  'createBatch',
  'retrieveBatch',
  'cancelBatch',
  'listBatches',
  'getBatchOutput',
  'createFinetune',
  'listFinetunes',
  'retrieveFinetune',
  'cancelFinetune',
  'createModelResponse',
  'getModelResponse',
  'deleteModelResponse',
  'listResponseInputItems',
  'assistants',
  'threads',
  'vectorStores',
  'models',
];

/** By the gateway's name of an operation. */
const BY_OPERATION: Readonly<Record<string, string>> = {
  'chat.completions': 'chatComplete',
  completions: 'complete',
  messages: 'messages',
  'messages.count_tokens': 'messagesCountTokens',
  embeddings: 'embed',
  rerank: 'rerank',
  moderations: 'moderate',
  ocr: 'ocr',
  'images.generations': 'imageGenerate',
  'images.edits': 'imageEdit',
  'images.variations': 'imageVariation',
  'audio.speech': 'createSpeech',
  'audio.transcriptions': 'createTranscription',
  'audio.translations': 'createTranslation',
  realtime: 'realtime',
  'files.create': 'uploadFile',
  'files.list': 'listFiles',
  'files.get': 'retrieveFile',
  'files.delete': 'deleteFile',
  'files.content': 'retrieveFileContent',
  'batches.create': 'createBatch',
  'batches.get': 'retrieveBatch',
  'batches.cancel': 'cancelBatch',
  'batches.list': 'listBatches',
  'batches.output': 'getBatchOutput',
  'fine_tuning.jobs.create': 'createFinetune',
  'fine_tuning.jobs.list': 'listFinetunes',
  'fine_tuning.jobs.get': 'retrieveFinetune',
  'fine_tuning.jobs.cancel': 'cancelFinetune',
  'responses.create': 'createModelResponse',
  'responses.get': 'getModelResponse',
  'responses.delete': 'deleteModelResponse',
  'responses.input_items': 'listResponseInputItems',
};

const BY_FAMILY: Readonly<Record<string, string>> = {
  fine_tuning: 'retrieveFinetune',
  responses: 'getModelResponse',
  files: 'retrieveFile',
  batches: 'retrieveBatch',
  assistants: 'assistants',
  threads: 'threads',
  vector_stores: 'vectorStores',
  models: 'models',
};

/** The kind of a request by the gateway's name of its operation; null for those that have none of their own. */
export const operationTypeOf = (operation: string): string | null =>
  Object.hasOwn(BY_OPERATION, operation) ? (BY_OPERATION[operation] ?? null) : null;

/** The kind of a request by the gateway's names of its operation and of its route's family; `proxy` for what it does not know. */
export const requestTypeOf = (operation: string, family: string): string =>
  BY_OPERATION[operation] ?? BY_OPERATION[family] ?? BY_FAMILY[family] ?? 'proxy';

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'chat.completions': 'chat',
  completions: 'completions',
  embeddings: 'embeddings',
  moderations: 'moderations',
  messages: 'messages',
  'messages.count_tokens': 'messages',
  responses: 'responses',
  realtime: 'realtime',
};

/** How the bodies of a route's family are read; any JSON where nothing closer is known. */
export const dialectOf = (family: string): Dialect => DIALECTS[family] ?? 'json';
