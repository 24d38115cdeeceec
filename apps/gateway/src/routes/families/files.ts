import { FORM, NEVER, get, list, remove, route, type RouteRow } from '../route-rows';

const FILE = '/files/{file_id}';

/** Files stored at the provider. */
export const files: readonly RouteRow[] = [
  list('/files', 'files', 'List files'),
  route('POST', '/files', 'files', 'files.create', 'Upload a file', { ...FORM, ...NEVER }),
  get(FILE, 'files', 'Get a file'),
  remove(FILE, 'files', 'Delete a file'),
  route('GET', `${FILE}/content`, 'files', 'files.content', 'Get the content of a file', { bytes: true }),
];
