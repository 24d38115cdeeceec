import { VERSION_HEADER } from '@gw/a2a';
import type { RequestContext } from '../../core/request-context';
import type { CallReply } from '../../reply/call-reply';
import type { CardView } from '../agent-view';
import type { AgentCards } from './agent-cards';

/** Seconds for which clients may cache a card. */
const MAX_AGE_S = 60;

/**
 * Sends the card of an agent, or 304 to a client that already has it. `path` is the path of the
 * agent.
 */
export async function sendCard(
  cards: AgentCards,
  view: CardView,
  { context, reply, path }: { context: RequestContext; reply: CallReply; path: string },
): Promise<void> {
  const { json, etag } = await cards.cardFor(view, context, path);
  const headers = {
    etag,
    vary: `${VERSION_HEADER}, authorization, x-gw-api-key`,
    // The content of a card depends on its reader, unless it is public.
    'cache-control': `${view.isPublic ? 'public' : 'private'}, max-age=${String(MAX_AGE_S)}`,
  };
  if (matches(context.req.headers['if-none-match'], etag)) reply.end(null, 304, headers);
  else reply.end(json, 200, headers);
}

/** Whether `If-None-Match` contains the tag; tags are compared weakly (RFC 9110). */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const strong = etag.replace(/^W\//, '');
  return header
    .split(',', 100)
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || tag.replace(/^W\//, '') === strong);
}
