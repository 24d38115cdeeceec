import { isObject } from '@gw/kernel';
import type { PushMode } from '../protocol/agent-abilities';
import type { CardForm } from '../protocol/versions';
import { picked, pickedTexts, type Members } from '../shapes/members';
import { abilitiesOf, cardExtensions } from './agent-card-abilities';
import { security03, security10, type ServedSecurity } from './served-security';

/** How the card of an agent is served to a caller. */
export interface ServedCardOptions {
  readonly form: CardForm;
  /** URL of the agent at this gateway. All interfaces have it. */
  readonly address: string;
  readonly security: ServedSecurity;
  /** Setting of the agent; `relay` when absent. */
  readonly push?: PushMode;
  /**
   * False if the agent's extended card is not served; by default it is served if the agent has one.
   */
  readonly servesExtended?: boolean;
  /** Whether the caller may see a skill; all are shown when absent. */
  readonly showsSkill?: (skillId: string) => boolean;
}

const VERSION_03 = '0.3.0';
/** Media types of a card that names none. */
const MODES = ['text/plain'];
/** `version` of a card without one; both versions of A2A require it. */
const NO_VERSION = '0';
const BINDINGS = ['JSONRPC', 'HTTP+JSON'];
const VERSIONS = ['1.0', '0.3'];

/**
 * Returns the card that callers see: the agent's name, texts, provider and skills, with the
 * addresses and credentials of this gateway, and no ability that the agent lacks. Accepts cards of
 * 0.3 and 1.0. It contains none of the agent's addresses, security schemes and signatures. Members
 * that A2A does not have are dropped.
 */
export function servedCard(card: Members, options: ServedCardOptions): Members {
  const { form, address, security, showsSkill } = options;
  const common = {
    ...describedBy(card),
    capabilities: servedCapabilities(card, options),
    ...modesOf(card),
    skills: servedSkills(card, showsSkill),
    supportedInterfaces: VERSIONS.flatMap((protocolVersion) =>
      BINDINGS.map((protocolBinding) => ({ url: address, protocolBinding, protocolVersion })),
    ),
  };
  if (form === '1.0') return { ...common, ...security10(security) };
  return {
    ...common,
    protocolVersion: VERSION_03,
    url: address,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: BINDINGS.map((transport) => ({ url: address, transport })),
    supportsAuthenticatedExtendedCard: common.capabilities['extendedAgentCard'] === true,
    ...security03(security),
  };
}

function describedBy(card: Members): Members {
  const name = textOf(card['name']) ?? '';
  return {
    name,
    // Both versions require a description, and an empty one makes signatures ambiguous.
    description: textOf(card['description']) ?? name,
    version: textOf(card['version']) ?? NO_VERSION,
    ...providerOf(card),
    ...texts(card, ['documentationUrl', 'iconUrl']),
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const texts = (from: Members, names: readonly string[]): Members =>
  pickedTexts(
    from,
    names.filter((name) => typeof from[name] === 'string'),
  );

function providerOf({ provider }: Members): Members {
  if (!isObject(provider)) return {};
  const [organization, url] = [textOf(provider['organization']), textOf(provider['url'])];
  return organization === null || url === null ? {} : { provider: { organization, url } };
}

const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : [];

const listOr = (value: unknown, fallback: readonly string[]): readonly string[] => {
  const list = listOf(value);
  return list.length === 0 ? fallback : list;
};

const modesOf = (card: Members): Members => ({
  defaultInputModes: listOr(card['defaultInputModes'], MODES),
  defaultOutputModes: listOr(card['defaultOutputModes'], MODES),
});

function servedCapabilities(card: Members, { push, servesExtended = true }: ServedCardOptions): Members {
  const abilities = abilitiesOf(card, push);
  const extensions = cardExtensions(card).map((extension) =>
    picked(extension, ['uri', 'description', 'required', 'params']),
  );
  return {
    streaming: abilities.streaming,
    pushNotifications: abilities.push !== 'off',
    extendedAgentCard: abilities.extendedCard && servesExtended,
    ...(extensions.length === 0 ? {} : { extensions }),
  };
}

function servedSkills(card: Members, showsSkill: (skillId: string) => boolean = () => true): Members[] {
  const { skills } = card;
  if (!Array.isArray(skills)) return [];
  return skills.flatMap((skill: unknown) => {
    const id = isObject(skill) ? textOf(skill['id']) : null;
    return isObject(skill) && id !== null && showsSkill(id) ? [servedSkill(id, skill)] : [];
  });
}

function servedSkill(id: string, skill: Members): Members {
  const name = textOf(skill['name']) ?? id;
  const lists = ['examples', 'inputModes', 'outputModes'].flatMap((member) => {
    const list = listOf(skill[member]);
    return list.length === 0 ? [] : [[member, list] as const];
  });
  return {
    id,
    name,
    description: textOf(skill['description']) ?? name,
    tags: listOr(skill['tags'], [id]),
    ...Object.fromEntries(lists),
  };
}
