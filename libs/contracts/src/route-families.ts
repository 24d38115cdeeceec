/** Facts about a family of data-plane routes that hold for every provider. */
export interface RouteFamily {
  /** The type of request in guardrails, for operations that `operations` does not list. */
  readonly requestType: string;
  /** Types of requests by operation. Absent: all operations have the family's type. */
  readonly operations?: Readonly<Record<string, string>>;
  /** Operation of a POST to the family's own path, for a family with several operations. */
  readonly pathOperation?: string;
  /**
   * End of a passthrough path that identifies this family. Absent: its passthrough requests are not
   * recognised.
   */
  readonly pathEnd?: string;
  /** The format in which guardrails read the bodies. Absent: any JSON. */
  readonly texts?:
    'chat' | 'completions' | 'embeddings' | 'moderations' | 'messages' | 'responses' | 'gemini' | 'realtime';
  /** Conditions of policies cannot name the family's operations. */
  readonly isUnnamedByPolicies?: true;
  /**
   * Whether a response depends only on the body, so that it may be cached. Other families keep
   * state, run jobs or transfer audio or files.
   */
  readonly isCacheable?: true;
  /** Whether a request creates something permanent, so that it must not be hedged. */
  readonly makesLasting?: true;
  /** Whether a stream ends with its end marker, so that nothing follows it. */
  readonly endsAtMark?: true;
  /** Whether responses are priced by usage, so that one without usage is charged as an estimate. */
  readonly isSoldByUse?: true;
  /** Whether a response reports only the usage of its own request. */
  readonly reportsOwnUseOnly?: true;
  /** Whether a success is JSON or a stream of events. */
  readonly answersWithJson?: true;
  /** Whether providers accept their own beta header on these routes. */
  readonly takesBetaHeader?: true;
}

const kinds = <Families extends Readonly<Record<string, RouteFamily>>>(families: Families): Families =>
  families;

/**
 * Every family of routes, in the order in which guardrails list the kinds of requests. To add one,
 * add its facts here and its routes in `apps/gateway/src/routes/families/`.
 */
export const ROUTE_FAMILIES = kinds({
  completions: {
    requestType: 'complete',
    operations: { completions: 'complete' },
    pathEnd: '/completions',
    texts: 'completions',
    isCacheable: true,
    endsAtMark: true,
    isSoldByUse: true,
    reportsOwnUseOnly: true,
    answersWithJson: true,
  },
  'chat.completions': {
    requestType: 'chatComplete',
    operations: { 'chat.completions': 'chatComplete', 'prompts.completions': 'chatComplete' },
    pathEnd: '/chat/completions',
    texts: 'chat',
    isCacheable: true,
    endsAtMark: true,
    isSoldByUse: true,
    reportsOwnUseOnly: true,
    answersWithJson: true,
  },
  messages: {
    requestType: 'messages',
    operations: { messages: 'messages' },
    pathEnd: '/messages',
    texts: 'messages',
    isCacheable: true,
    endsAtMark: true,
    isSoldByUse: true,
    reportsOwnUseOnly: true,
    answersWithJson: true,
  },
  'messages.count_tokens': {
    requestType: 'messagesCountTokens',
    operations: { 'messages.count_tokens': 'messagesCountTokens' },
    pathEnd: '/messages/count_tokens',
    texts: 'messages',
    isUnnamedByPolicies: true,
    isCacheable: true,
    answersWithJson: true,
  },
  embeddings: {
    requestType: 'embed',
    operations: { embeddings: 'embed' },
    pathEnd: '/embeddings',
    texts: 'embeddings',
    isCacheable: true,
    isSoldByUse: true,
    reportsOwnUseOnly: true,
    answersWithJson: true,
  },
  rerank: {
    requestType: 'rerank',
    operations: { rerank: 'rerank' },
    isCacheable: true,
    answersWithJson: true,
  },
  moderations: {
    requestType: 'moderate',
    operations: { moderations: 'moderate' },
    pathEnd: '/moderations',
    texts: 'moderations',
    isCacheable: true,
    answersWithJson: true,
  },
  ocr: {
    requestType: 'ocr',
    operations: { ocr: 'ocr' },
    isUnnamedByPolicies: true,
    isCacheable: true,
    answersWithJson: true,
  },
  passthrough: { requestType: 'proxy', operations: { passthrough: 'proxy' }, isCacheable: true },
  'images.generations': {
    requestType: 'imageGenerate',
    operations: { 'images.generations': 'imageGenerate' },
    isCacheable: true,
    answersWithJson: true,
  },
  'images.edits': {
    requestType: 'imageEdit',
    operations: { 'images.edits': 'imageEdit' },
    isUnnamedByPolicies: true,
    answersWithJson: true,
  },
  'images.variations': {
    requestType: 'imageVariation',
    operations: { 'images.variations': 'imageVariation' },
    isUnnamedByPolicies: true,
    answersWithJson: true,
  },
  'audio.speech': { requestType: 'createSpeech', operations: { 'audio.speech': 'createSpeech' } },
  'audio.transcriptions': {
    requestType: 'createTranscription',
    operations: { 'audio.transcriptions': 'createTranscription' },
  },
  'audio.translations': {
    requestType: 'createTranslation',
    operations: { 'audio.translations': 'createTranslation' },
  },
  realtime: {
    requestType: 'realtime',
    operations: { realtime: 'realtime' },
    pathEnd: '/realtime',
    texts: 'realtime',
  },
  files: {
    requestType: 'retrieveFile',
    operations: {
      'files.create': 'uploadFile',
      'files.list': 'listFiles',
      'files.get': 'retrieveFile',
      'files.delete': 'deleteFile',
      'files.content': 'retrieveFileContent',
    },
    makesLasting: true,
  },
  batches: {
    requestType: 'retrieveBatch',
    operations: {
      'batches.create': 'createBatch',
      'batches.get': 'retrieveBatch',
      'batches.cancel': 'cancelBatch',
      'batches.list': 'listBatches',
      'batches.output': 'getBatchOutput',
    },
    makesLasting: true,
  },
  fine_tuning: {
    requestType: 'retrieveFinetune',
    operations: {
      'fine_tuning.jobs.create': 'createFinetune',
      'fine_tuning.jobs.list': 'listFinetunes',
      'fine_tuning.jobs.get': 'retrieveFinetune',
      'fine_tuning.jobs.cancel': 'cancelFinetune',
    },
    makesLasting: true,
  },
  responses: {
    requestType: 'getModelResponse',
    operations: {
      'responses.create': 'createModelResponse',
      'responses.get': 'getModelResponse',
      'responses.delete': 'deleteModelResponse',
      'responses.input_items': 'listResponseInputItems',
    },
    pathOperation: 'responses.create',
    pathEnd: '/responses',
    texts: 'responses',
    isCacheable: true,
    endsAtMark: true,
    isSoldByUse: true,
    answersWithJson: true,
  },
  'gemini.generate': {
    requestType: 'generateContent',
    operations: {
      'gemini.generateContent': 'generateContent',
      'gemini.streamGenerateContent': 'streamGenerateContent',
    },
    texts: 'gemini',
    isCacheable: true,
    isSoldByUse: true,
    reportsOwnUseOnly: true,
    answersWithJson: true,
  },
  'gemini.count': {
    requestType: 'countTokens',
    operations: { 'gemini.countTokens': 'countTokens' },
    texts: 'gemini',
    isUnnamedByPolicies: true,
    isCacheable: true,
    answersWithJson: true,
  },
  'gemini.embed': {
    requestType: 'embedContent',
    operations: {
      'gemini.embedContent': 'embedContent',
      'gemini.batchEmbedContents': 'batchEmbedContents',
    },
    texts: 'gemini',
    isCacheable: true,
    isSoldByUse: true,
    reportsOwnUseOnly: true,
    answersWithJson: true,
  },
  'gemini.list': { requestType: 'models' },
  assistants: { requestType: 'assistants', makesLasting: true, takesBetaHeader: true },
  threads: { requestType: 'threads', makesLasting: true, takesBetaHeader: true },
  vector_stores: { requestType: 'vectorStores', makesLasting: true, takesBetaHeader: true },
  models: { requestType: 'models' },
});

/**
 * A route family that a provider supports or does not support as a whole. Every other path is
 * `passthrough`.
 */
export type RouteKind = keyof typeof ROUTE_FAMILIES;
export const ROUTE_KINDS = Object.keys(ROUTE_FAMILIES) as readonly RouteKind[];

export const routeFamily = (kind: RouteKind): RouteFamily => ROUTE_FAMILIES[kind];

/** Returns the family with that name, or undefined. */
export const familyNamed = (name: string): RouteFamily | undefined =>
  Object.hasOwn(ROUTE_FAMILIES, name) ? ROUTE_FAMILIES[name as RouteKind] : undefined;
