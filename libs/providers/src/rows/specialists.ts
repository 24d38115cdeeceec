import { row, type ProviderRow } from './row';

const keyIn = (header: string, format = '{key}') => ({ auth: { header, format } });

/** Services for vectors and ranked documents. */
const RETRIEVAL: readonly ProviderRow[] = [
  row('jina', 'Jina AI', 'https://api.jina.ai/v1', 'models', {
    aliases: 'jina-ai',
    forms: { embeddings: 'jina', rerank: 'jina' },
  }),
  row('voyage', 'Voyage AI', 'https://api.voyageai.com/v1', '', {
    aliases: 'voyageai',
    forms: { embeddings: 'voyage', rerank: 'voyage' },
  }),
  row('nomic', 'Nomic Atlas', 'https://api-atlas.nomic.ai/v1', '', { forms: { embeddings: 'nomic' } }),
  row('mixedbread', 'Mixedbread', 'https://api.mixedbread.com/v1', 'embeddings', {
    forms: { rerank: 'mixedbread' },
  }),
  row('pinecone', 'Pinecone', 'https://api.pinecone.io', '', {
    ...keyIn('api-key'),
    headers: { 'x-pinecone-api-version': '2025-10' },
    forms: { embeddings: 'pinecone', rerank: 'pinecone' },
  }),
  row('qdrant', 'Qdrant', null, '', { auth: { header: 'api-key', optional: true } }),
  row('milvus', 'Milvus and Zilliz', null, '', { auth: 'optional' }),
];

/** Services for images, and for objects in three dimensions. */
const IMAGES: readonly ProviderRow[] = [
  row('stability-ai', 'Stability AI', 'https://api.stability.ai', '', {
    headers: {
      'stability-client-id': '{stability_client_id}',
      'stability-client-user-id': '{stability_client_user_id}',
      'stability-client-version': '{stability_client_version}',
    },
  }),
  row('segmind', 'Segmind', 'https://api.segmind.com/v1', '', {
    ...keyIn('x-api-key'),
    modelPaths: '/{model}',
  }),
  row('black-forest-labs', 'Black Forest Labs', 'https://api.bfl.ai/v1', '', {
    aliases: 'bfl',
    ...keyIn('x-key'),
    modelPaths: '/{model}',
  }),
  row('fal', 'fal', 'https://fal.run', '', {
    ...keyIn('authorization', 'Key {key}'),
    modelPaths: '/{model}',
  }),
  row('meshy', 'Meshy', 'https://api.meshy.ai/openapi/v1', ''),
  row('tripo3d', 'Tripo3D', 'https://api.tripo3d.ai/v2/openapi', ''),
];

/** Services for speech. */
const SPEECH: readonly ProviderRow[] = [
  row('elevenlabs', 'ElevenLabs', 'https://api.elevenlabs.io/v1', '', keyIn('xi-api-key')),
  row('deepgram', 'Deepgram', 'https://api.deepgram.com/v1', '', keyIn('authorization', 'Token {key}')),
  row('assemblyai', 'AssemblyAI', 'https://api.assemblyai.com/v2', '', keyIn('authorization')),
  row('cartesia', 'Cartesia', 'https://api.cartesia.ai', '', {
    headers: { 'cartesia-version': '2025-04-16' },
  }),
];

/** Services for models of any kind, with an API of their own. */
const PLATFORMS: readonly ProviderRow[] = [
  row('replicate', 'Replicate', 'https://api.replicate.com/v1', '', {
    modelPaths: '/models/{model}/predictions /deployments/{model}/predictions',
  }),
];

/** Services that are known for one kind of model, most of them with an API of their own. */
export const SPECIALISTS: readonly ProviderRow[] = [...RETRIEVAL, ...IMAGES, ...SPEECH, ...PLATFORMS];
