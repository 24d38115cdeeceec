import { cancel, get, remove, route, type RouteRow } from '../route-rows';

const RESPONSE = '/responses/{response_id}';

/** Responses, which may run in the background. */
export const responses: readonly RouteRow[] = [
  route('POST', '/responses', 'responses', 'responses.create', 'Create a response', { streams: true }),
  get(RESPONSE, 'responses', 'Get a response', 'responses', { streams: true }),
  remove(RESPONSE, 'responses', 'Delete a response'),
  cancel(`${RESPONSE}/cancel`, 'responses', 'Cancel a response that runs in the background'),
  route(
    'GET',
    `${RESPONSE}/input_items`,
    'responses',
    'responses.input_items',
    'List the input of a response',
  ),
];
