import { chosenInterface, readCard, readCardBody, verifyCard, type AgentCard, type Members } from '@gw/a2a';
import type { AgentInterfaceFacts } from '@gw/contracts';
import type { AgentIntegrationEntity, AgentSkillEntity } from '@gw/entities';
import { GatewayError, isObject, readSigningKey, type AddressPolicy } from '@gw/kernel';
import type { Finding } from '@gw/mcp';
import { invalid, isStorable } from '@gw/web';
import {
  keptCapabilities,
  type KeptCapabilities,
  type UpstreamSnapshot,
} from '../../platform/upstreams/capability-changes';

/** Name under which the agent itself is stored among its skills. */
export const AGENT_NAME = '@agent';
/** Name under which the extended card is stored among the skills of its agent. */
const EXTENDED_NAME = '@extended';

/** Columns that decide how a card is read. */
export type CardRow = Pick<
  AgentIntegrationEntity,
  'url' | 'allowOtherOrigin' | 'trustedKeys' | 'protocol' | 'binding'
>;

/** A card that the integration can use. */
export interface FittingCard {
  /** The card as it was received, as JSON. */
  readonly text: string;
  /**
   * The members that are used: if the integration has trusted keys, only those that a trusted key
   * has signed.
   */
  readonly members: Members;
  readonly endpoint: AgentInterfaceFacts;
  readonly signatureState: AgentIntegrationEntity['signatureState'];
  /** Keys with which the card was verified; null when it was not verified. */
  readonly trustedKeys: AgentIntegrationEntity['trustedKeys'];
  /** The extended card; `none` until it has been read. */
  readonly extended: ExtendedCard;
}

/** Returns the rules by which the card of an integration is read. */
export const rulesOf = (
  { url, allowOtherOrigin }: Pick<CardRow, 'url' | 'allowOtherOrigin'>,
  policy: AddressPolicy,
) => ({
  ...{ policy, endpoint: url, allowsOtherOrigin: allowOtherOrigin },
});

/**
 * Parses a card as JSON that an administrator sent or that was stored. Throws `validation_failed`
 * and `custom_host_refused`.
 */
export const cardIn = (
  text: string,
  row: Pick<CardRow, 'url' | 'allowOtherOrigin'>,
  policy: AddressPolicy,
): AgentCard => readCard(readCardBody(Buffer.from(text), null), rulesOf(row, policy));

/**
 * Returns the card in the form that the integration uses. Throws `validation_failed` for a wrong
 * signature and for members that cannot be stored, and `agent_transport_unsupported` for a card
 * without an address of the integration's protocol and binding.
 */
export function fittingCard(row: CardRow, received: AgentCard, policy: AddressPolicy): FittingCard {
  const { state, members } = provenMembers(row, received);
  if (!isStorable(members))
    throw invalid('agent_card', 'has characters that cannot be stored; remove NUL and broken surrogates');
  const card = readCard(members, rulesOf(row, policy));
  const { protocol: version, binding } = row;
  const endpoint = chosenInterface(card, { version, binding });
  if (endpoint === null) throw unsupported(row);
  return {
    text: JSON.stringify(received.card),
    members: card.card,
    endpoint,
    signatureState: state,
    trustedKeys: row.trustedKeys,
    extended: NO_EXTENDED,
  };
}

const NO_EXTENDED: ExtendedCard = { kind: 'none' };

function unsupported({ protocol, binding }: CardRow): GatewayError {
  if (protocol === 'auto' && binding === 'auto')
    return new GatewayError('agent_transport_unsupported', { param: 'agent_card' });
  const message = `The card has no address of protocol ${protocol} and binding ${binding}; choose others, or auto.`;
  return new GatewayError('agent_transport_unsupported', { param: 'protocol', message });
}

/**
 * Returns the members of a card that are used, and who has proved them. Throws `validation_failed`
 * for a wrong signature.
 */
export function provenMembers(
  { trustedKeys }: Pick<CardRow, 'trustedKeys'>,
  { card }: AgentCard,
): { readonly state: FittingCard['signatureState']; readonly members: Members } {
  if (trustedKeys === null) return { state: null, members: card };
  const keys = trustedKeys.map((key) => readSigningKey(key)).filter((key) => key !== null);
  const { state, signed } = verifyCard(card, keys);
  if (state === 'invalid')
    throw invalid(
      'agent_card',
      'agent_card has a wrong signature; ask the operator of the agent, or correct trusted_keys',
    );
  return { state, members: signed ?? card };
}

/** Result of reading the extended card, which an agent shows only to its callers. */
export type ExtendedCard =
  | { readonly kind: 'card'; readonly members: Members }
  /** The agent has no extended card. */
  | { readonly kind: 'none' }
  /**
   * The extended card could not be read, so the stored one stays. `reason` contains no text from
   * the agent.
   */
  | { readonly kind: 'unread'; readonly reason: string };

/**
 * Returns the members of the stored extended card, rebuilt from the saved rows; null when there is
 * none. Used when reading the card has failed.
 */
export function knownExtended(saved: readonly AgentSkillEntity[]): Members | null {
  const listed = saved.filter(({ goneAt }) => goneAt === null);
  const extendedListing = listed.find(({ type }) => type === 'extended');
  if (extendedListing === undefined) return null;
  const skills = listed.filter(({ type, isExtended }) => type === 'skill' && isExtended);
  return { ...extendedListing.definition, skills: skills.map(({ definition }) => definition) };
}

/** Snapshot of a card for approval by an administrator. */
export interface CardSnapshot extends UpstreamSnapshot, KeptCapabilities {
  /** Ids of the skills that each card lists. */
  readonly publicIds: readonly string[];
  readonly extendedIds: readonly string[];
}

/**
 * Returns the cards as capabilities to approve: each card without its skills, and each skill once.
 */
export function snapshotOf({ members }: FittingCard, extended: Members | null): CardSnapshot {
  const cardMembers = withoutSkills(members);
  const more = extended === null ? null : withoutSkills(extended);
  const publicIds = new Set(cardMembers.skills.map(({ id }) => id));
  // A skill on both cards has the texts of the public card, which may be shown to everyone.
  const skills = [...cardMembers.skills, ...(more?.skills ?? []).filter(({ id }) => !publicIds.has(id))];
  const keptSkills = keptCapabilities([['skill', skills]]);
  const ofExtended =
    more === null ? [] : [{ type: 'extended', name: EXTENDED_NAME, definition: more.card } as const];
  return {
    self: { type: 'agent', name: AGENT_NAME, definition: cardMembers.card },
    capabilities: [...keptSkills.capabilities, ...ofExtended],
    isCut: keptSkills.isCut,
    publicIds: idsOf(cardMembers.skills),
    extendedIds: idsOf(more?.skills ?? []),
  };
}

function withoutSkills({ skills, signatures: _proof, ...card }: Members): {
  readonly card: Members;
  readonly skills: readonly Members[];
} {
  return { card, skills: Array.isArray(skills) ? skills.filter(isObject) : [] };
}

const idsOf = (skills: readonly Members[]): readonly string[] =>
  skills.map(({ id }) => id).filter((id) => typeof id === 'string');

/**
 * Returns findings about a card as a whole: an origin other than that of the approved card, and a
 * missing signature.
 */
export function cardFindings(
  { approvedEndpoint }: Pick<AgentIntegrationEntity, 'approvedEndpoint'>,
  { endpoint, signatureState }: Pick<FittingCard, 'endpoint' | 'signatureState'>,
): readonly Finding[] {
  const isMoved = approvedEndpoint !== null && !isOnOrigin(endpoint, approvedEndpoint.url);
  const isUnproven = signatureState === 'unsigned' || signatureState === 'untrusted';
  return [
    ...(isMoved ? [{ rule: 'moved_address', severity: 'high' } as const] : []),
    ...(isUnproven ? [{ rule: 'unproven_signature', severity: 'high' } as const] : []),
  ];
}

export const isOnOrigin = (endpoint: AgentInterfaceFacts, url: string): boolean =>
  URL.canParse(url) && new URL(endpoint.url).origin === new URL(url).origin;
