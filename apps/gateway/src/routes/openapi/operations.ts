import { text, between, names, ref, type Schema } from './schema';

export interface Operation {
  readonly summary: string;
  /** Absent: forwarded to the provider as it is. */
  readonly request?: Schema;
  readonly response?: Schema;
  /** Also answers `text/event-stream` when the body has `stream: true`. */
  readonly streams?: true;
  /** The answer is a WebSocket. */
  readonly upgrades?: true;
  /** The answer is a file: bytes of any type. */
  readonly bytes?: true;
  readonly query?: Readonly<Record<string, Schema>>;
}

const LIST_RUNS_QUERY = {
  limit: { ...between('integer', 1, 100), default: 20 },
  order: { ...names('asc', 'desc'), default: 'desc', description: 'Sorts by created_at.' },
  after: { ...text, description: 'An object id: answers the page after it.' },
  before: { ...text, description: 'An object id: answers the page before it.' },
} as const;

/** What the document says of each route of the table, by the route's name. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'chat.completions': { summary: 'Create a chat completion', streams: true },
  completions: {
    summary: 'Create a completion',
    request: ref('CreateCompletionRequest'),
    response: ref('Completion'),
    streams: true,
  },
  embeddings: { summary: 'Create embeddings' },
  moderations: {
    summary: 'Classify a text',
    request: ref('CreateModerationRequest'),
    response: ref('Moderation'),
  },
  'audio.speech': { summary: 'Speak a text', bytes: true },
  'audio.transcriptions': { summary: 'Transcribe a recording', streams: true },
  'audio.translations': { summary: 'Translate a recording into English' },
  'images.generations': { summary: 'Generate images', streams: true },
  'images.edits': { summary: 'Edit images', streams: true },
  'images.variations': { summary: 'Vary an image' },
  'files.list': { summary: 'List files' },
  'files.create': { summary: 'Upload a file' },
  'files.get': { summary: 'Get a file' },
  'files.delete': { summary: 'Delete a file' },
  'files.content': { summary: 'Get the content of a file', bytes: true },
  'batches.list': { summary: 'List batches' },
  'batches.create': { summary: 'Create a batch' },
  'batches.get': { summary: 'Get a batch' },
  'batches.cancel': { summary: 'Cancel a batch' },
  'batches.output': { summary: 'Get the output of a batch', bytes: true },
  'fine_tuning.jobs.list': { summary: 'List fine-tuning jobs' },
  'fine_tuning.jobs.create': { summary: 'Create a fine-tuning job' },
  'fine_tuning.jobs.get': { summary: 'Get a fine-tuning job' },
  'fine_tuning.jobs.cancel': { summary: 'Cancel a fine-tuning job' },
  'fine_tuning.jobs.events': { summary: 'List the events of a fine-tuning job' },
  'fine_tuning.jobs.checkpoints': { summary: 'List the checkpoints of a fine-tuning job' },
  models: { summary: 'List models' },
  'models.get': { summary: 'Get a model' },
  'models.delete': { summary: 'Delete a fine-tuned model' },
  realtime: { summary: 'Open a realtime session', upgrades: true, query: { model: text } },
  rerank: { summary: 'Rank documents by a query' },
  ocr: { summary: 'Read the text of a document' },
  'assistants.list': { summary: 'List assistants' },
  'assistants.create': { summary: 'Create an assistant', request: ref('AssistantRequest') },
  'assistants.get': { summary: 'Get an assistant' },
  'assistants.modify': { summary: 'Modify an assistant', request: ref('AssistantRequest') },
  'assistants.delete': { summary: 'Delete an assistant' },
  'threads.create': {
    summary: 'Create a thread',
    request: ref('CreateThreadRequest'),
    response: ref('Thread'),
  },
  'threads.get': { summary: 'Get a thread', response: ref('Thread') },
  'threads.modify': {
    summary: 'Modify a thread',
    request: ref('CreateThreadRequest'),
    response: ref('Thread'),
  },
  'threads.delete': { summary: 'Delete a thread' },
  'threads.messages.list': { summary: 'List the messages of a thread' },
  'threads.messages.create': { summary: 'Add a message to a thread', request: ref('ThreadMessageRequest') },
  'threads.messages.get': { summary: 'Get a message' },
  'threads.messages.modify': { summary: 'Modify a message', request: ref('MetadataRequest') },
  'threads.messages.delete': { summary: 'Delete a message' },
  'threads.runs.create_with_thread': {
    summary: 'Create a thread and run it',
    request: ref('CreateThreadAndRunRequest'),
    response: ref('Run'),
    streams: true,
  },
  'threads.runs.list': {
    summary: 'List the runs of a thread',
    response: ref('RunList'),
    query: LIST_RUNS_QUERY,
  },
  'threads.runs.create': {
    summary: 'Run a thread',
    request: ref('CreateRunRequest'),
    response: ref('Run'),
    streams: true,
  },
  'threads.runs.get': { summary: 'Get a run', response: ref('Run') },
  'threads.runs.modify': { summary: 'Modify a run', request: ref('MetadataRequest'), response: ref('Run') },
  'threads.runs.cancel': { summary: 'Cancel a run', response: ref('Run') },
  'threads.runs.submit_tool_outputs': {
    summary: 'Submit the outputs of tool calls',
    response: ref('Run'),
    streams: true,
  },
  'threads.runs.steps.list': { summary: 'List the steps of a run' },
  'threads.runs.steps.get': { summary: 'Get a step of a run' },
  'vector_stores.list': { summary: 'List vector stores' },
  'vector_stores.create': { summary: 'Create a vector store', request: ref('MetadataRequest') },
  'vector_stores.get': { summary: 'Get a vector store' },
  'vector_stores.modify': { summary: 'Modify a vector store', request: ref('MetadataRequest') },
  'vector_stores.delete': { summary: 'Delete a vector store' },
  'vector_stores.search': { summary: 'Search a vector store', request: ref('VectorStoreSearchRequest') },
  'vector_stores.files.list': { summary: 'List the files of a vector store' },
  'vector_stores.files.create': { summary: 'Add a file to a vector store' },
  'vector_stores.files.get': { summary: 'Get a file of a vector store' },
  'vector_stores.files.modify': { summary: 'Modify a file of a vector store' },
  'vector_stores.files.delete': { summary: 'Remove a file from a vector store' },
  'vector_stores.files.content': { summary: 'Get the parsed content of a file of a vector store' },
  'vector_stores.file_batches.create': { summary: 'Add files to a vector store' },
  'vector_stores.file_batches.get': { summary: 'Get a batch of files' },
  'vector_stores.file_batches.cancel': { summary: 'Cancel a batch of files' },
  'vector_stores.file_batches.files': { summary: 'List the files of a batch' },
  'responses.create': { summary: 'Create a response', streams: true },
  'responses.get': { summary: 'Get a response', streams: true },
  'responses.delete': { summary: 'Delete a response' },
  'responses.cancel': { summary: 'Cancel a response that runs in the background' },
  'responses.input_items': { summary: 'List the input of a response' },
  'prompts.completions': {
    summary: 'Run a saved prompt',
    request: ref('PromptRequest'),
    streams: true,
  },
  'prompts.render': {
    summary: 'Render a saved prompt, without a call to a model',
    request: ref('PromptRequest'),
    response: ref('RenderedPrompt'),
  },
  messages: { summary: 'Create a message, in Anthropic’s dialect', streams: true },
  'messages.count_tokens': { summary: 'Count the tokens of a message, in Anthropic’s dialect' },
};
