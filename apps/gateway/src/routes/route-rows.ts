import type { RouteKind } from '@gw/contracts';
import type { Dialect } from '@gw/providers';
import { outputFile, type FollowUp } from './batch-output';
import { completionBody } from './checks/completions';
import { listRunsQuery, type QueryCheck } from './checks/list-query';
import { moderationBody } from './checks/moderations';
import type { Rule } from './checks/rules';
import { assistantBody, runBody, threadAndRunBody } from './checks/runs';
import { messageBody, metadataBody, searchBody, threadBody } from './checks/threads';

/**
 * `json`: a JSON object. `json-or-none`: the same, or no body at all. `any`: bytes as they are, in memory or streamed, such as
 * a multipart form; also none.
 */
export type RouteBody = 'json' | 'json-or-none' | 'any';

/**
 * Whether a request of the route names the model that answers: always, when it likes, or never. Decides what a provider with
 * an allow-list of models refuses.
 */
export type NamesModel = 'always' | 'maybe' | 'never';

export interface RouteOptions {
  readonly dialect?: Dialect;
  readonly body?: RouteBody;
  readonly model?: NamesModel;
  readonly scopes?: readonly string[];
  /** The specification's bounds on the body; a route without them never parses it. */
  readonly checkBody?: Rule;
  readonly checkQuery?: QueryCheck;
  /** The route's path without its last segment is called first; this names the call that follows. */
  readonly followUp?: FollowUp;
  /** The path names a saved prompt: it is rendered, and then sent as the request that it describes, or answered as it is. */
  readonly prompt?: 'completions' | 'render';
}

export interface RouteRow extends Required<
  Omit<RouteOptions, 'checkBody' | 'checkQuery' | 'followUp' | 'prompt'>
> {
  readonly method: string;
  /** Below `/v1`; an id stands in braces. */
  readonly path: string;
  readonly kind: RouteKind;
  readonly name: string;
  readonly checkBody: Rule | null;
  readonly checkQuery: QueryCheck | null;
  readonly followUp: FollowUp | null;
  readonly prompt: 'completions' | 'render' | null;
}

const SCOPES = ['completions.write'] as const;

function row(
  method: string,
  path: string,
  kind: RouteKind,
  name: string = kind,
  options: RouteOptions = {},
): RouteRow {
  const defaults = {
    dialect: 'openai',
    body: method === 'POST' ? 'json' : 'any',
    model: method === 'POST' ? 'maybe' : 'never',
    scopes: SCOPES,
    checkBody: null,
    checkQuery: null,
    followUp: null,
    prompt: null,
  } as const;
  return { method, path, kind, name, ...defaults, ...options };
}

const list = (path: string, kind: RouteKind, name: string = kind): RouteRow =>
  row('GET', path, kind, `${name}.list`);
const get = (path: string, kind: RouteKind, name: string = kind): RouteRow =>
  row('GET', path, kind, `${name}.get`);
const remove = (path: string, kind: RouteKind, name: string = kind): RouteRow =>
  row('DELETE', path, kind, `${name}.delete`);
/** Cancels what its path names; most clients send no body. */
const cancel = (path: string, kind: RouteKind, name: string = kind): RouteRow =>
  row('POST', path, kind, `${name}.cancel`, { body: 'json-or-none', model: 'never' });

const ALWAYS = { model: 'always' } as const;
const NEVER = { model: 'never' } as const;
const FORM = { body: 'any' } as const;
const ANTHROPIC = { dialect: 'anthropic', model: 'always' } as const;
const FILE = '/files/{file_id}';
const BATCH = '/batches/{batch_id}';
const JOB = '/fine_tuning/jobs/{fine_tuning_job_id}';
const MODEL = '/models/{model}';
const ASSISTANT = '/assistants/{assistant_id}';
const THREAD = '/threads/{thread_id}';
const MESSAGE = `${THREAD}/messages/{message_id}`;
const RUN = `${THREAD}/runs/{run_id}`;
const STORE = '/vector_stores/{vector_store_id}';
const STORE_FILE = `${STORE}/files/{file_id}`;
const STORE_BATCH = `${STORE}/file_batches/{batch_id}`;
const RESPONSE = '/responses/{response_id}';

/** One line a built-in route. Every other path is passthrough. */
export const ROUTE_ROWS: readonly RouteRow[] = [
  row('POST', '/chat/completions', 'chat.completions', undefined, ALWAYS),
  row('POST', '/completions', 'completions', undefined, { ...ALWAYS, checkBody: completionBody }),
  row('POST', '/embeddings', 'embeddings', undefined, ALWAYS),
  row('POST', '/moderations', 'moderations', undefined, { checkBody: moderationBody }),

  row('POST', '/audio/speech', 'audio.speech', undefined, ALWAYS),
  row('POST', '/audio/transcriptions', 'audio.transcriptions', undefined, { ...FORM, ...ALWAYS }),
  row('POST', '/audio/translations', 'audio.translations', undefined, { ...FORM, ...ALWAYS }),
  row('POST', '/images/generations', 'images.generations'),
  row('POST', '/images/edits', 'images.edits', undefined, FORM),
  row('POST', '/images/variations', 'images.variations', undefined, FORM),

  list('/files', 'files'),
  row('POST', '/files', 'files', 'files.create', { ...FORM, ...NEVER }),
  get(FILE, 'files'),
  remove(FILE, 'files'),
  row('GET', `${FILE}/content`, 'files', 'files.content'),

  list('/batches', 'batches'),
  row('POST', '/batches', 'batches', 'batches.create'),
  get(BATCH, 'batches'),
  cancel(`${BATCH}/cancel`, 'batches'),
  row('GET', `${BATCH}/output`, 'batches', 'batches.output', { followUp: outputFile }),

  list('/fine_tuning/jobs', 'fine_tuning', 'fine_tuning.jobs'),
  row('POST', '/fine_tuning/jobs', 'fine_tuning', 'fine_tuning.jobs.create', ALWAYS),
  get(JOB, 'fine_tuning', 'fine_tuning.jobs'),
  cancel(`${JOB}/cancel`, 'fine_tuning', 'fine_tuning.jobs'),
  row('GET', `${JOB}/events`, 'fine_tuning', 'fine_tuning.jobs.events'),
  row('GET', `${JOB}/checkpoints`, 'fine_tuning', 'fine_tuning.jobs.checkpoints'),

  row('GET', '/realtime', 'realtime', undefined, ALWAYS),

  row('GET', '/models', 'models', undefined, { scopes: [...SCOPES, 'virtual_keys.list'] }),
  get(MODEL, 'models'),
  remove(MODEL, 'models'),
  row('POST', '/rerank', 'rerank', undefined, ALWAYS),
  row('POST', '/ocr', 'ocr', undefined, ALWAYS),

  list('/assistants', 'assistants'),
  row('POST', '/assistants', 'assistants', 'assistants.create', { ...ALWAYS, checkBody: assistantBody }),
  get(ASSISTANT, 'assistants'),
  row('POST', ASSISTANT, 'assistants', 'assistants.modify', { checkBody: assistantBody }),
  remove(ASSISTANT, 'assistants'),

  row('POST', '/threads', 'threads', 'threads.create', {
    ...NEVER,
    body: 'json-or-none',
    checkBody: threadBody,
  }),
  get(THREAD, 'threads'),
  row('POST', THREAD, 'threads', 'threads.modify', { ...NEVER, checkBody: threadBody }),
  remove(THREAD, 'threads'),
  list(`${THREAD}/messages`, 'threads', 'threads.messages'),
  row('POST', `${THREAD}/messages`, 'threads', 'threads.messages.create', {
    ...NEVER,
    checkBody: messageBody,
  }),
  get(MESSAGE, 'threads', 'threads.messages'),
  row('POST', MESSAGE, 'threads', 'threads.messages.modify', { ...NEVER, checkBody: metadataBody }),
  remove(MESSAGE, 'threads', 'threads.messages'),

  row('POST', '/threads/runs', 'threads', 'threads.runs.create_with_thread', { checkBody: threadAndRunBody }),
  row('GET', `${THREAD}/runs`, 'threads', 'threads.runs.list', { checkQuery: listRunsQuery }),
  row('POST', `${THREAD}/runs`, 'threads', 'threads.runs.create', { checkBody: runBody }),
  get(RUN, 'threads', 'threads.runs'),
  row('POST', RUN, 'threads', 'threads.runs.modify', { ...NEVER, checkBody: metadataBody }),
  cancel(`${RUN}/cancel`, 'threads', 'threads.runs'),
  row('POST', `${RUN}/submit_tool_outputs`, 'threads', 'threads.runs.submit_tool_outputs', NEVER),
  list(`${RUN}/steps`, 'threads', 'threads.runs.steps'),
  get(`${RUN}/steps/{step_id}`, 'threads', 'threads.runs.steps'),

  list('/vector_stores', 'vector_stores'),
  row('POST', '/vector_stores', 'vector_stores', 'vector_stores.create', {
    ...NEVER,
    body: 'json-or-none',
    checkBody: metadataBody,
  }),
  get(STORE, 'vector_stores'),
  row('POST', STORE, 'vector_stores', 'vector_stores.modify', { ...NEVER, checkBody: metadataBody }),
  remove(STORE, 'vector_stores'),
  row('POST', `${STORE}/search`, 'vector_stores', 'vector_stores.search', {
    ...NEVER,
    checkBody: searchBody,
  }),
  list(`${STORE}/files`, 'vector_stores', 'vector_stores.files'),
  row('POST', `${STORE}/files`, 'vector_stores', 'vector_stores.files.create', NEVER),
  get(STORE_FILE, 'vector_stores', 'vector_stores.files'),
  row('POST', STORE_FILE, 'vector_stores', 'vector_stores.files.modify', NEVER),
  remove(STORE_FILE, 'vector_stores', 'vector_stores.files'),
  row('GET', `${STORE_FILE}/content`, 'vector_stores', 'vector_stores.files.content'),
  row('POST', `${STORE}/file_batches`, 'vector_stores', 'vector_stores.file_batches.create', NEVER),
  get(STORE_BATCH, 'vector_stores', 'vector_stores.file_batches'),
  cancel(`${STORE_BATCH}/cancel`, 'vector_stores', 'vector_stores.file_batches'),
  row('GET', `${STORE_BATCH}/files`, 'vector_stores', 'vector_stores.file_batches.files'),

  row('POST', '/responses', 'responses', 'responses.create'),
  get(RESPONSE, 'responses'),
  remove(RESPONSE, 'responses'),
  cancel(`${RESPONSE}/cancel`, 'responses'),
  row('GET', `${RESPONSE}/input_items`, 'responses', 'responses.input_items'),

  // The kind is that of the request which the prompt turns out to be.
  row('POST', '/prompts/{prompt_id}/completions', 'chat.completions', 'prompts.completions', {
    ...ALWAYS,
    prompt: 'completions',
  }),
  row('POST', '/prompts/{prompt_id}/render', 'chat.completions', 'prompts.render', {
    ...NEVER,
    prompt: 'render',
    scopes: ['prompts.render'],
  }),

  row('POST', '/messages', 'messages', undefined, ANTHROPIC),
  row('POST', '/messages/count_tokens', 'messages.count_tokens', undefined, ANTHROPIC),
];
