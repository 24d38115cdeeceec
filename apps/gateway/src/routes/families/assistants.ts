import { assistantBody } from '../checks/runs';
import { ALWAYS, get, list, remove, route, type RouteRow } from '../route-rows';

const ASSISTANT = '/assistants/{assistant_id}';

/** Assistants, which execute runs of threads. */
export const assistants: readonly RouteRow[] = [
  list('/assistants', 'assistants', 'List assistants'),
  route('POST', '/assistants', 'assistants', 'assistants.create', 'Create an assistant', {
    ...ALWAYS,
    checkBody: assistantBody,
  }),
  get(ASSISTANT, 'assistants', 'Get an assistant'),
  route('POST', ASSISTANT, 'assistants', 'assistants.modify', 'Modify an assistant', {
    checkBody: assistantBody,
  }),
  remove(ASSISTANT, 'assistants', 'Delete an assistant'),
];
