import { metadataBody, searchBody } from '../checks/threads';
import { NEVER, cancel, get, list, remove, route, type RouteRow } from '../route-rows';

const STORE = '/vector_stores/{vector_store_id}';
const STORE_FILE = `${STORE}/files/{file_id}`;
const STORE_BATCH = `${STORE}/file_batches/{batch_id}`;

/** Vector stores with their files. */
export const vectorStores: readonly RouteRow[] = [
  list('/vector_stores', 'vector_stores', 'List vector stores'),
  route('POST', '/vector_stores', 'vector_stores', 'vector_stores.create', 'Create a vector store', {
    ...NEVER,
    body: 'json-or-none',
    checkBody: metadataBody,
  }),
  get(STORE, 'vector_stores', 'Get a vector store'),
  route('POST', STORE, 'vector_stores', 'vector_stores.modify', 'Modify a vector store', {
    ...NEVER,
    checkBody: metadataBody,
  }),
  remove(STORE, 'vector_stores', 'Delete a vector store'),
  route('POST', `${STORE}/search`, 'vector_stores', 'vector_stores.search', 'Search a vector store', {
    ...NEVER,
    checkBody: searchBody,
  }),
  list(`${STORE}/files`, 'vector_stores', 'List the files of a vector store', 'vector_stores.files'),
  route(
    'POST',
    `${STORE}/files`,
    'vector_stores',
    'vector_stores.files.create',
    'Add a file to a vector store',
    { ...NEVER },
  ),
  get(STORE_FILE, 'vector_stores', 'Get a file of a vector store', 'vector_stores.files'),
  route(
    'POST',
    STORE_FILE,
    'vector_stores',
    'vector_stores.files.modify',
    'Modify a file of a vector store',
    { ...NEVER },
  ),
  remove(STORE_FILE, 'vector_stores', 'Remove a file from a vector store', 'vector_stores.files'),
  route(
    'GET',
    `${STORE_FILE}/content`,
    'vector_stores',
    'vector_stores.files.content',
    'Get the parsed content of a file of a vector store',
  ),
  route(
    'POST',
    `${STORE}/file_batches`,
    'vector_stores',
    'vector_stores.file_batches.create',
    'Add files to a vector store',
    { ...NEVER },
  ),
  get(STORE_BATCH, 'vector_stores', 'Get a batch of files', 'vector_stores.file_batches'),
  cancel(`${STORE_BATCH}/cancel`, 'vector_stores', 'Cancel a batch of files', 'vector_stores.file_batches'),
  route(
    'GET',
    `${STORE_BATCH}/files`,
    'vector_stores',
    'vector_stores.file_batches.files',
    'List the files of a batch',
  ),
];
