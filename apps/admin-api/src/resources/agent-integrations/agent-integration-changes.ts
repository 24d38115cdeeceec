import { AgentIntegrationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { assign, columnsOf, invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { present } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import type { FittingCard } from './agent-card-content';
import {
  AgentPlainFields,
  AgentSavedFields,
  type CreateAgentIntegrationDto,
  type UpdateAgentIntegrationDto,
} from './agent-integrations.dto';
import { readAgentPrices } from './agent-prices';

const DEFAULTS = {
  auth_type: 'none',
  protocol: 'auto',
  binding: 'auto',
  push: 'relay',
  allow_other_origin: false,
  on_change: 'block',
} as const;

/**
 * Returns the row of a new integration, without its name, slug, secrets and trusted keys. Throws
 * `validation_failed`.
 */
export function newAgentRow(
  manager: EntityManager,
  caller: Principal,
  input: CreateAgentIntegrationDto,
): AgentIntegrationEntity {
  const { organisationId, workspaceId } = caller;
  const { pricing, agent_card: card } = input;
  const mode = workspaceId === null ? 'review_changes' : 'auto';
  const chosen = { ...DEFAULTS, approval_mode: mode, ...present(input) } as const;
  return manager.create(AgentIntegrationEntity, {
    ...columnsOf(AgentPlainFields, input),
    ...{ id: uuidv7(), organisationId, workspaceId, status: 'active', ownerId: actorOf(caller) },
    ...{ configurations: {}, sealedAuth: null, maskedAuth: {}, globalWorkspaceAccess: null },
    url: urlOf(input),
    source: isCard(card) ? 'manual' : 'fetched',
    authType: chosen.auth_type,
    protocol: chosen.protocol,
    binding: chosen.binding,
    push: chosen.push,
    allowOtherOrigin: chosen.allow_other_origin,
    approvalMode: chosen.approval_mode,
    onChange: chosen.on_change,
    ...{ trustedKeys: null, trustedKeysUrl: null },
    prices: readAgentPrices(pricing ?? null),
    ...{ card: null, endpoint: null, approvedEndpoint: null, signatureState: null },
    ...{ syncStatus: 'pending', lastSyncedAt: null, syncError: null, nextSyncAt: new Date() },
  });
}

const isCard = (card: CreateAgentIntegrationDto['agent_card']): card is Record<string, unknown> =>
  card !== undefined && card !== null;

function urlOf({ url, agent_card: card }: CreateAgentIntegrationDto): string {
  const found = url ?? (isCard(card) ? card['url'] : undefined);
  if (typeof found === 'string' && found !== '') return found;
  throw invalid('url', 'url is required: send the address of the agent, or agent_card with its url');
}

/**
 * Sets the columns that an update changes, except the card, the trusted keys, the configurations
 * and the secret mappings.
 */
export function assignAgentFields(row: AgentIntegrationEntity, input: UpdateAgentIntegrationDto): void {
  assign(AgentSavedFields, row, input);
  const { approval_mode: mode, on_change: onChange, pricing, agent_card: card } = input;
  if (mode !== undefined) row.approvalMode = mode;
  if (onChange !== undefined) row.onChange = onChange;
  if (pricing !== undefined) row.prices = readAgentPrices(pricing);
  if (card !== undefined) row.source = card === null ? 'fetched' : 'manual';
}

/**
 * Returns the fields, in addition to the origin of the URL, that decide where the secrets of an
 * integration are sent, before and after a change. A card that the agent publishes is not among
 * them: callers do not write it, and another origin in it waits for approval. Where cards may name
 * other origins, the whole URL is among them, since each path may have another card. `card` is the
 * card in use after the change.
 */
export function aimsOf(
  before: AgentIntegrationEntity,
  row: AgentIntegrationEntity,
  card: FittingCard | null,
): { readonly before: Readonly<Record<string, unknown>>; readonly next: Readonly<Record<string, unknown>> } {
  const { source, endpoint, approvedEndpoint } = before;
  // A card sent by an administrator was saved together with the secrets for its address, even while
  // it waits for approval.
  const saved = otherOrigin(before, source === 'manual' ? endpoint : (approvedEndpoint ?? endpoint));
  const next = row.source === 'manual' && card !== null ? otherOrigin(row, card.endpoint) : saved;
  const pathBound = ({ url }: AgentIntegrationEntity) =>
    before.allowOtherOrigin && row.allowOtherOrigin ? { url } : {};
  return {
    before: { allow_other_origin: before.allowOtherOrigin, agent_card: saved, ...pathBound(before) },
    next: { allow_other_origin: row.allowOtherOrigin, agent_card: next, ...pathBound(row) },
  };
}

/**
 * Returns the origin of an endpoint; null when it is the origin of the URL, which is compared
 * separately.
 */
const otherOrigin = (
  { url }: Pick<AgentIntegrationEntity, 'url'>,
  endpoint: AgentIntegrationEntity['endpoint'],
): string | null => {
  const origin = endpoint && originOf(endpoint.url);
  return origin === originOf(url) ? null : origin;
};

/** Returns a key of all values that decide how a card is read and which interface is called. */
export const readAs = (row: AgentIntegrationEntity): string =>
  JSON.stringify([
    ...[row.url, row.authType, row.sealedAuth, row.source, row.protocol, row.binding],
    ...[row.allowOtherOrigin, row.trustedKeys, row.trustedKeysUrl, row.secretMappings],
  ]);

export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);
