import { completionBody } from '../checks/completions';
import { moderationBody } from '../checks/moderations';
import { ref } from '../openapi/schema';
import { ALWAYS, route, type RouteRow } from '../route-rows';

/** Texts, and numbers computed from texts: one request, one response. */
export const text: readonly RouteRow[] = [
  route('POST', '/chat/completions', 'chat.completions', 'chat.completions', 'Create a chat completion', {
    ...ALWAYS,
    streams: true,
  }),
  route('POST', '/completions', 'completions', 'completions', 'Create a completion', {
    ...ALWAYS,
    checkBody: completionBody,
    response: ref('Completion'),
    streams: true,
  }),
  route('POST', '/embeddings', 'embeddings', 'embeddings', 'Create embeddings', { ...ALWAYS }),
  route('POST', '/moderations', 'moderations', 'moderations', 'Classify a text', {
    checkBody: moderationBody,
    response: ref('Moderation'),
  }),
  route('POST', '/rerank', 'rerank', 'rerank', 'Rank documents by a query', { ...ALWAYS }),
  route('POST', '/ocr', 'ocr', 'ocr', 'Extract the text of a document', { ...ALWAYS }),
];
