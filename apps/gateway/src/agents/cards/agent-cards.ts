import {
  cardFormFor,
  servedCard,
  signCard,
  VERSION_HEADER,
  type CardForm,
  type CardSigner,
  type Members,
  type ServedSecurity,
} from '@gw/a2a';
import { canonicalJson, digestOf, isObject } from '@gw/kernel';
import { publicOrigin } from '../../auth/public-address';
import type { RequestContext } from '../../core/request-context';
import type { CardView } from '../agent-view';
import type { CardSigners } from './card-signer';

export interface AgentCardParts {
  readonly signers: CardSigners;
  /** URL of this gateway for clients; when null, it is derived from the request. */
  readonly publicUrl: string | null;
}

/** A serialised card for one caller. */
export interface WrittenCard {
  readonly json: string;
  readonly etag: string;
}

/**
 * Maximum number of serialised cards that are cached for one view, by form and address. The address
 * depends on the host that the caller sends.
 */
const MAX_CARDS_PER_VIEW = 8;

/** Serves the cards of agents with the addresses and security schemes of this gateway. */
export class AgentCards {
  private readonly written = new WeakMap<CardView, Map<string, WrittenCard>>();

  constructor(private readonly parts: AgentCardParts) {}

  /**
   * Returns the card for a request, in the form that its `A2A-Version` header requests. `path` is
   * the path of the agent.
   */
  async cardFor(view: CardView, context: RequestContext, path: string): Promise<WrittenCard> {
    const header = context.req.headers[VERSION_HEADER];
    return this.card(view, context, { path, form: cardFormFor(Array.isArray(header) ? header[0] : header) });
  }

  /** Returns the extended card of an agent in a form. The document of the view must have one. */
  async extended(
    view: CardView,
    context: RequestContext,
    as: { readonly path: string; readonly form: CardForm },
  ): Promise<Members> {
    const { extendedCard, card } = view.document;
    const { json } = await this.card(view, context, { ...as, source: extendedCard ?? card });
    return JSON.parse(json) as Members;
  }

  private async card(
    view: CardView,
    context: RequestContext,
    {
      path,
      form,
      source = view.document.card,
    }: { readonly path: string; readonly form: CardForm; readonly source?: string },
  ): Promise<WrittenCard> {
    const { publicUrl } = this.parts;
    const address = publicOrigin(publicUrl, context) + path;
    const signer = form === '1.0' ? await this.parts.signers.current() : null;
    const key = JSON.stringify([form, address, signer?.keyId ?? null, source === view.document.card]);
    let cards = this.written.get(view);
    if (cards === undefined) this.written.set(view, (cards = new Map<string, WrittenCard>()));
    let card = cards.get(key);
    if (card !== undefined) return card;
    card = write(view, { form, address, signer, source, security: securityOf(publicUrl) });
    // Callers can send any host, so the number of cached cards is bounded.
    if (cards.size >= MAX_CARDS_PER_VIEW) cards.clear();
    cards.set(key, card);
    return card;
  }
}

/**
 * Returns the security schemes of a card. The address of the OAuth server is known only when the
 * gateway has a public URL.
 */
const securityOf = (publicUrl: string | null): ServedSecurity => {
  if (publicUrl === null) return { oauth: null };
  const origin = publicUrl.replace(/\/$/, '');
  return {
    oauth: {
      authorizationUrl: `${origin}/oauth/authorize`,
      tokenUrl: `${origin}/oauth/token`,
      metadataUrl: `${origin}/.well-known/oauth-authorization-server`,
    },
  };
};

interface CardFacts {
  readonly form: CardForm;
  readonly address: string;
  readonly signer: CardSigner | null;
  readonly source: string;
  readonly security: ServedSecurity;
}

function write(view: CardView, { form, address, signer, source, security }: CardFacts): WrittenCard {
  const parsed: unknown = JSON.parse(source);
  const card = servedCard(isObject(parsed) ? parsed : {}, {
    ...{ form, address, security, push: view.push },
    servesExtended: view.document.extendedCard !== null,
    showsSkill: (id) => view.showsSkill(id),
  });
  const signed = signer === null ? card : (signCard(card, signer) ?? card);
  // ES256 signatures differ each time, so the tag is derived from the signed content.
  const digest = digestOf('a2a/card', [canonicalJson(card), signer?.keyId ?? '']);
  return { json: JSON.stringify(signed), etag: `W/"${digest.slice(0, 32)}"` };
}
