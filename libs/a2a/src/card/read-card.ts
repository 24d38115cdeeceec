import { assertAllowedUrl, isObject, type AddressPolicy } from '@gw/kernel';
import { knownVersion, type A2aVersion } from '../protocol/versions';
import type { Members } from '../shapes/members';
import { canonicalJson, CanonicalFault } from './canonical-json';
import { refused } from './card-request';

/** Bindings that this gateway can call, the preferred one first. It does not support gRPC. */
export const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;
export type Binding = (typeof BINDINGS)[number];

/** An address at which the gateway can call an agent. */
export interface AgentInterface {
  readonly url: string;
  readonly binding: Binding;
  readonly version: A2aVersion;
  /** Tenant that requests must name; null for none. */
  readonly tenant: string | null;
}

/** A checked card, which was fetched or entered by hand. */
export interface AgentCard {
  /** The card as it was received; `url` is added where a card of 1.0 has none. */
  readonly card: Members;
  readonly name: string;
  readonly url: string;
  /**
   * Addresses that the gateway can call, in the order of preference; empty for an agent with only
   * other bindings, such as gRPC.
   */
  readonly interfaces: readonly AgentInterface[];
}

/** Rules for the addresses in a card. */
export interface CardRules {
  readonly policy: AddressPolicy;
  /**
   * The address under which the agent is registered. Its card may name other origins only with
   * `allowsOtherOrigin`.
   */
  readonly endpoint: string;
  readonly allowsOtherOrigin?: boolean;
}

const NAME_LENGTH_MAX = 255;
const INTERFACES_MAX = 100;
const SKILLS_MAX = 1_000;
/** Version of cards that name none, which have the shape of 0.3. */
const OLD: A2aVersion = '0.3';

/**
 * Judges a card: `name` must be a text. `url` is the card's own, or that of the first interface
 * that can be called. The policy must allow each address, which must be on the origin of the
 * endpoint. Throws `GatewayError` `validation_failed` or `custom_host_refused`.
 */
export function readCard(card: Members, rules: CardRules): AgentCard {
  const name = nameOf(card);
  const interfaces = [...ownInterface(card, rules), ...listedInterfaces(card, rules)];
  const ordered = BINDINGS.flatMap((binding) => interfaces.filter((each) => each.binding === binding));
  checkSkills(card['skills']);
  checkCanonical(card);
  if (typeof card['url'] === 'string') return { card, name, url: card['url'], interfaces: ordered };
  const [first] = ordered;
  if (first === undefined)
    throw refused('agent_card', 'must have url, or an interface of JSONRPC or HTTP+JSON with an allowed URL');
  return { card: { ...card, url: first.url }, name, url: first.url, interfaces: ordered };
}

function nameOf({ name }: Members): string {
  if (typeof name !== 'string' || name.trim() === '') throw refused('agent_card.name', 'must be a text');
  if (name.length > NAME_LENGTH_MAX)
    throw refused('agent_card.name', `must have at most ${String(NAME_LENGTH_MAX)} characters`);
  return name;
}

function checkSkills(skills: unknown): void {
  if (skills === undefined || skills === null) return;
  if (!Array.isArray(skills) || skills.length > SKILLS_MAX || !skills.every(isObject))
    throw refused('agent_card.skills', `must be a list of at most ${String(SKILLS_MAX)} objects`);
  const ids = skills.map(({ id }) => id).filter((id) => id !== undefined);
  // Skill ids must be unique, because an approval names a skill by its id.
  if (new Set(ids).size < ids.length) throw refused('agent_card.skills', 'must not have an id twice');
}

/** Throws unless the card has a canonical form, which its digest and signatures need. */
function checkCanonical(card: Members): void {
  try {
    canonicalJson(card);
  } catch (error) {
    if (error instanceof CanonicalFault)
      throw refused('agent_card', `has no canonical form. ${error.message}`);
    throw error;
  }
}

/**
 * Returns the interface of the members `url` and `preferredTransport` of 0.3; empty if there is
 * none.
 */
function ownInterface(card: Members, rules: CardRules): AgentInterface[] {
  const { url, preferredTransport, protocolVersion } = card;
  if (url === undefined || url === null) return [];
  if (typeof url !== 'string' || url === '') throw refused('agent_card.url', 'must be a URL');
  const { origin } = assertAllowedUrl(rules.policy, url, 'agent_card.url');
  if (!isOwnOrigin(origin, rules))
    throw refused(
      'agent_card.url',
      'must be on the origin of the endpoint, unless other origins are allowed',
    );
  // A hybrid card lists the interfaces of both versions; `url` belongs to the older one.
  return interfaceOf({
    ...{ url, tenant: null, binding: preferredTransport ?? 'JSONRPC' },
    version: typeof protocolVersion === 'string' ? (knownVersion(protocolVersion) ?? OLD) : OLD,
  });
}

/**
 * Returns the interfaces of `supportedInterfaces` of 1.0 and `additionalInterfaces` of 0.3 whose
 * addresses are allowed.
 */
function listedInterfaces(card: Members, rules: CardRules): AgentInterface[] {
  const supported = itemsOf(card, 'supportedInterfaces').flatMap((item) => {
    const { url, protocolBinding: binding, protocolVersion, tenant } = item;
    const version = typeof protocolVersion === 'string' ? knownVersion(protocolVersion) : null;
    return version === null ? [] : [{ url, binding, version, tenant }];
  });
  const additional = itemsOf(card, 'additionalInterfaces').map(({ url, transport: binding }) => ({
    ...{ url, binding, tenant: null },
    version: OLD,
  }));
  return [...supported, ...additional].flatMap((each) => {
    const verdict = rules.policy.checkUrl(each.url);
    return verdict.ok && isOwnOrigin(verdict.url.origin, rules) ? interfaceOf(each) : [];
  });
}

function itemsOf(card: Members, name: string): Members[] {
  const items = card[name];
  if (items === undefined || items === null) return [];
  if (!Array.isArray(items) || items.length > INTERFACES_MAX)
    throw refused(`agent_card.${name}`, `must be a list of at most ${String(INTERFACES_MAX)} interfaces`);
  return items.filter(isObject);
}

function interfaceOf(found: {
  readonly url: unknown;
  readonly binding: unknown;
  readonly version: A2aVersion;
  readonly tenant: unknown;
}): AgentInterface[] {
  const { url, version, tenant } = found;
  const binding = BINDINGS.find((each) => each === found.binding);
  if (typeof url !== 'string' || binding === undefined) return [];
  return [{ url, binding, version, tenant: typeof tenant === 'string' && tenant !== '' ? tenant : null }];
}

const isOwnOrigin = (origin: string, { endpoint, allowsOtherOrigin = false }: CardRules): boolean =>
  allowsOtherOrigin || (URL.canParse(endpoint) && new URL(endpoint).origin === origin);

/** The interface that an integration prefers. */
export interface InterfaceChoice {
  readonly version?: A2aVersion | 'auto';
  readonly binding?: Binding | 'auto';
}

/**
 * Returns the interface to call: 1.0 before 0.3, then JSONRPC before HTTP+JSON. Null when none fits
 * the choice.
 */
export function chosenInterface(
  { interfaces }: Pick<AgentCard, 'interfaces'>,
  { version = 'auto', binding = 'auto' }: InterfaceChoice = {},
): AgentInterface | null {
  const fitting = interfaces.filter(
    (each) =>
      (version === 'auto' || each.version === version) && (binding === 'auto' || each.binding === binding),
  );
  return fitting.find((each) => each.version === '1.0') ?? fitting[0] ?? null;
}
