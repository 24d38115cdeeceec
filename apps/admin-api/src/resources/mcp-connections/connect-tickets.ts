import { McpConnectTicketEntity, mcpTicketBinding } from '@gw/entities';
import { hashApiKey, seal, unseal } from '@gw/kernel';
import { TICKET_LIFETIME_MS } from '@gw/mcp';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { DataSource, MoreThan, type EntityManager } from 'typeorm';
import type { UpstreamClient } from '../../platform/mcp/connection-tokens';
import type { McpPair } from '../../platform/mcp/mcp-places.queries';
import { Secrets } from '../../settings';
import type { UpstreamAuthorization } from './upstream-discovery';

/** Maximum number of open links of one user; a further link replaces the oldest. */
const OPEN_MAX = 20;

/** Sealed part of a link: the authorization server and the request that was sent to it. */
export interface TicketContent {
  readonly authorization: UpstreamAuthorization;
  /** Absent until the browser is sent to the authorization server. */
  readonly begun?: BegunAuthorization;
}

export interface BegunAuthorization {
  readonly state: string;
  /** PKCE code verifier. */
  readonly verifier: string;
  /** Digest of the browser's cookie. */
  readonly browser: string;
  readonly client: UpstreamClient;
  readonly redirectUri: string;
}

/**
 * Stores the links with which users connect. Each step of a link is taken once, even when several
 * processes try at the same time.
 */
@Injectable()
export class ConnectTickets {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /** Creates a ticket of 128 random bits, of which only the hash is stored. */
  async issue(
    manager: EntityManager,
    { serverId, userId }: McpPair,
  ): Promise<{ readonly ticket: string; readonly expiresAt: Date }> {
    const ticket = randomBytes(16).toString('base64url');
    const expiresAt = new Date(Date.now() + TICKET_LIFETIME_MS);
    await manager.query(
      `DELETE FROM mcp_connect_tickets WHERE ticket_hash IN (
         SELECT ticket_hash FROM mcp_connect_tickets WHERE user_id = $1
         ORDER BY expires_at DESC, ticket_hash OFFSET $2)`,
      [userId, OPEN_MAX - 1],
    );
    await manager.insert(McpConnectTicketEntity, {
      ...{ ticketHash: this.hash('ticket', ticket), serverId, userId, step: 'open', expiresAt },
    });
    return { ticket, expiresAt };
  }

  find(ticket: string): Promise<McpConnectTicketEntity | null> {
    return this.dataSource.manager.findOneBy(McpConnectTicketEntity, {
      ticketHash: this.hash('ticket', ticket),
    });
  }

  /**
   * Returns the link of a returning browser, which is in the step `begun`; null for an unknown
   * state.
   */
  ofState(state: string): Promise<McpConnectTicketEntity | null> {
    const stateHash = this.hash('state', state);
    return this.dataSource.manager.findOneBy(McpConnectTicketEntity, { stateHash, step: 'begun' });
  }

  open({ sealed, ticketHash }: McpConnectTicketEntity): TicketContent | null {
    if (sealed === null) return null;
    const text = unseal(this.secrets.sealingKeyring, sealed, mcpTicketBinding(ticketHash)).toString('utf8');
    return JSON.parse(text) as TicketContent;
  }

  /** Stores what the page showed, so that the browser is sent to that server. */
  async keep({ ticketHash }: McpConnectTicketEntity, content: TicketContent): Promise<void> {
    const sealed = this.seal(ticketHash, content);
    await this.dataSource.manager.update(McpConnectTicketEntity, { ticketHash, step: 'open' }, { sealed });
  }

  /** Uses the link. Returns false when it was used before or has expired. */
  async begin({ ticketHash }: McpConnectTicketEntity, content: Required<TicketContent>): Promise<boolean> {
    const { affected } = await this.dataSource.manager.update(
      McpConnectTicketEntity,
      { ticketHash, step: 'open', expiresAt: MoreThan(new Date()) },
      {
        step: 'begun',
        stateHash: this.hash('state', content.begun.state),
        sealed: this.seal(ticketHash, content),
      },
    );
    return affected === 1;
  }

  /** Uses up the return of the browser. Returns false when it was used before. */
  async end({ ticketHash }: McpConnectTicketEntity): Promise<boolean> {
    const { affected } = await this.dataSource.manager.update(
      McpConnectTicketEntity,
      { ticketHash, step: 'begun' },
      { step: 'ended', sealed: null },
    );
    return affected === 1;
  }

  private seal(ticketHash: string, content: TicketContent): string {
    return seal(this.secrets.sealingKeyring, JSON.stringify(content), mcpTicketBinding(ticketHash));
  }

  private hash(purpose: 'ticket' | 'state', text: string): string {
    return hashApiKey(this.secrets.refreshTokenPepper, `mcp-${purpose}:${text}`);
  }
}
