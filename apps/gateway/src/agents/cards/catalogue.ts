import { documentKey } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { publicOrigin } from '../../auth/public-address';
import { readDocument, type Documents } from '../../auth/documents';
import type { GatewayPrincipal } from '../../auth/principals';
import type { RequestContext } from '../../core/request-context';
import type { AgentServers } from '../agent-servers';
import { cardOf, type AgentView } from '../agent-view';

/** Maximum number of agents in one catalogue. */
const ENTRIES_MAX = 1_000;
const CONCURRENCY = 20;
const CARD_TYPE = 'application/a2a-agent-card+json';

/**
 * Builds the catalogue of the agents that a caller may use, in the format of the AI Catalog draft.
 */
export class Catalogue {
  constructor(
    private readonly documents: Documents,
    private readonly servers: AgentServers,
    private readonly publicUrl: string | null,
  ) {}

  async of(principal: GatewayPrincipal, context: RequestContext): Promise<object> {
    const found = await readDocument(this.documents, documentKey.agentCatalogue(principal.workspace.id));
    const slugs = found?.kind === 'agent_catalogue' ? found.slugs.slice(0, ENTRIES_MAX) : [];
    const origin = publicOrigin(this.publicUrl, context);
    if (!URL.canParse(origin))
      throw new GatewayError('request_malformed', { message: 'The Host header does not name a host.' });
    const entries: object[] = [];
    for (let at = 0; at < slugs.length; at += CONCURRENCY) {
      const views = await Promise.all(
        slugs
          .slice(at, at + CONCURRENCY)
          .map((agent) => this.servers.find(principal, { workspace: null, agent })),
      );
      for (const view of views) if (view !== null) entries.push(entryOf(view, origin));
    }
    return { specVersion: '1.0', entries };
  }
}

function entryOf({ document }: AgentView, origin: string): object {
  const { name, description, version } = cardOf(document);
  const texts = { description, version };
  const present = Object.entries(texts).filter(([, text]) => typeof text === 'string' && text !== '');
  return {
    identifier: `urn:air:${new URL(origin).hostname}:agents:${document.slug}`,
    displayName: typeof name === 'string' && name !== '' ? name : document.name,
    ...Object.fromEntries(present),
    type: CARD_TYPE,
    url: `${origin}/v1/agent/${document.slug}/.well-known/agent-card.json`,
  };
}
