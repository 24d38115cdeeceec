/** What conditions of policies call a route, by the route's name. */
const TYPES: Readonly<Record<string, string>> = {
  'chat.completions': 'chatComplete',
  completions: 'complete',
  embeddings: 'embed',
  rerank: 'rerank',
  moderations: 'moderate',
  passthrough: 'proxy',
  'images.generations': 'imageGenerate',
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
  'fine_tuning.jobs.list': 'listFinetunes',
  'fine_tuning.jobs.create': 'createFinetune',
  'fine_tuning.jobs.get': 'retrieveFinetune',
  'fine_tuning.jobs.cancel': 'cancelFinetune',
  'responses.create': 'createModelResponse',
  'responses.get': 'getModelResponse',
  'responses.delete': 'deleteModelResponse',
  'responses.input_items': 'listResponseInputItems',
  messages: 'messages',
  'prompts.completions': 'chatComplete',
};

/** Null: no condition can name it. */
export const endpointTypeOf = (routeName: string): string | null =>
  Object.hasOwn(TYPES, routeName) ? (TYPES[routeName] ?? null) : null;
