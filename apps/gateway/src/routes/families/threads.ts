import { listRunsQuery, LIST_RUNS_QUERY } from '../checks/list-query';
import { runBody, threadAndRunBody } from '../checks/runs';
import { messageBody, metadataBody, threadBody } from '../checks/threads';
import { ref } from '../openapi/schema';
import { NEVER, cancel, get, list, remove, route, type RouteRow } from '../route-rows';

const THREAD = '/threads/{thread_id}';
const MESSAGE = `${THREAD}/messages/{message_id}`;
const RUN = `${THREAD}/runs/{run_id}`;

/** Threads with their messages and runs. */
export const threads: readonly RouteRow[] = [
  route('POST', '/threads', 'threads', 'threads.create', 'Create a thread', {
    ...NEVER,
    body: 'json-or-none',
    checkBody: threadBody,
    response: ref('Thread'),
  }),
  get(THREAD, 'threads', 'Get a thread', 'threads', { response: ref('Thread') }),
  route('POST', THREAD, 'threads', 'threads.modify', 'Modify a thread', {
    ...NEVER,
    checkBody: threadBody,
    response: ref('Thread'),
  }),
  remove(THREAD, 'threads', 'Delete a thread'),
  list(`${THREAD}/messages`, 'threads', 'List the messages of a thread', 'threads.messages'),
  route('POST', `${THREAD}/messages`, 'threads', 'threads.messages.create', 'Add a message to a thread', {
    ...NEVER,
    checkBody: messageBody,
  }),
  get(MESSAGE, 'threads', 'Get a message', 'threads.messages'),
  route('POST', MESSAGE, 'threads', 'threads.messages.modify', 'Modify a message', {
    ...NEVER,
    checkBody: metadataBody,
  }),
  remove(MESSAGE, 'threads', 'Delete a message', 'threads.messages'),
  route('POST', '/threads/runs', 'threads', 'threads.runs.create_with_thread', 'Create a thread and run it', {
    checkBody: threadAndRunBody,
    response: ref('Run'),
    streams: true,
  }),
  route('GET', `${THREAD}/runs`, 'threads', 'threads.runs.list', 'List the runs of a thread', {
    checkQuery: listRunsQuery,
    response: ref('RunList'),
    query: LIST_RUNS_QUERY,
  }),
  route('POST', `${THREAD}/runs`, 'threads', 'threads.runs.create', 'Run a thread', {
    checkBody: runBody,
    response: ref('Run'),
    streams: true,
  }),
  get(RUN, 'threads', 'Get a run', 'threads.runs', { response: ref('Run') }),
  route('POST', RUN, 'threads', 'threads.runs.modify', 'Modify a run', {
    ...NEVER,
    checkBody: metadataBody,
    response: ref('Run'),
  }),
  cancel(`${RUN}/cancel`, 'threads', 'Cancel a run', 'threads.runs', { response: ref('Run') }),
  route(
    'POST',
    `${RUN}/submit_tool_outputs`,
    'threads',
    'threads.runs.submit_tool_outputs',
    'Submit the outputs of tool calls',
    { ...NEVER, response: ref('Run'), streams: true },
  ),
  list(`${RUN}/steps`, 'threads', 'List the steps of a run', 'threads.runs.steps'),
  get(`${RUN}/steps/{step_id}`, 'threads', 'Get a step of a run', 'threads.runs.steps'),
];
