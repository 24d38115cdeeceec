import { isObject } from '@gw/kernel';
import { isSet, type Members } from '../shapes/members';
import { canonicalJson } from './canonical-json';
import { CARD_MEMBERS, type ValueKind, type MessageMembers, type Presence } from './signed-members';

interface PayloadOptions {
  /** Signs members that A2A 1.0 does not have, such as `url` of a hybrid card. */
  readonly keepsUnknown?: boolean;
}

/**
 * Returns the payload of a card's signature by the rule of A2A 1.0 (section 8.4): the canonical
 * JSON (RFC 8785) of the card without `signatures` and without implicit members that are empty,
 * false or 0. Throws `CanonicalFault`.
 */
export const cardPayload = (card: Members, options: PayloadOptions = {}): string =>
  canonicalJson(pruned(card, CARD_MEMBERS, options));

/**
 * Returns the payload as the official SDKs build it: like `cardPayload`, but without empty texts,
 * lists and objects, even required ones. Throws `CanonicalFault`.
 */
export const cardPayloadOfSdk = (card: Members, options: PayloadOptions = {}): string =>
  canonicalJson(withoutEmpty(pruned(card, CARD_MEMBERS, options)) ?? {});

/** A payload that a signature of a card may have, and the members that it covers. */
export interface CardPayload {
  readonly payload: string;
  /**
   * The card without `signatures` and, unless they are signed, without members that 1.0 does not
   * have.
   */
  readonly covered: Members;
}

/**
 * Returns all payloads that a signature of the card may have, without duplicates; those that cover
 * more come first. Several exist for a card with members that are empty or that 1.0 does not have.
 * Throws `CanonicalFault`.
 */
export function cardPayloads(card: Members): readonly CardPayload[] {
  const found = new Map<string, CardPayload>();
  for (const keepsUnknown of [true, false]) {
    const covered = pruned(card, CARD_MEMBERS, { keepsUnknown });
    for (const payload of [canonicalJson(covered), canonicalJson(withoutEmpty(covered) ?? {})])
      if (!found.has(payload)) found.set(payload, { payload, covered });
  }
  return [...found.values()];
}

function pruned(value: Members, members: MessageMembers, options: PayloadOptions): Members {
  const kept = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    if (!isSet(item) || (members === CARD_MEMBERS && name === 'signatures')) return [];
    const member = members.get(name);
    if (member === undefined) return options.keepsUnknown === true ? [[name, item]] : [];
    return isSigned(item, member) ? [[name, prunedValue(item, member.valueKind, options)]] : [];
  });
  return Object.fromEntries(kept);
}

function isSigned(
  item: unknown,
  { presence, valueKind }: { presence: Presence; valueKind: ValueKind },
): boolean {
  if (presence !== 'implicit') return true;
  // A present message is signed, even without members.
  if (valueKind.kind === 'message') return true;
  return !isEmpty(item) && item !== false && item !== 0;
}

const isEmpty = (item: unknown): boolean =>
  item === '' ||
  (Array.isArray(item) && item.length === 0) ||
  (isObject(item) && Object.keys(item).length === 0);

function prunedValue(item: unknown, valueKind: ValueKind, options: PayloadOptions): unknown {
  switch (valueKind.kind) {
    case 'plain':
    case 'free':
      return item;
    case 'message':
      return isObject(item) ? pruned(item, valueKind.of, options) : item;
    case 'list':
      return Array.isArray(item)
        ? item.map((each: unknown) => (isObject(each) ? pruned(each, valueKind.of, options) : each))
        : item;
    case 'map':
      return isObject(item)
        ? Object.fromEntries(
            Object.entries(item).map(([name, each]) => [
              name,
              isObject(each) ? pruned(each, valueKind.of, options) : each,
            ]),
          )
        : item;
  }
}

/**
 * Returns a value without empty texts, lists and objects at any level; undefined when nothing is
 * left. The reader of the card has bounded its depth.
 */
function withoutEmpty(value: unknown): unknown {
  if (value === '' || !isSet(value)) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter(isSet);
    return items.length === 0 ? undefined : items;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value)
    .map(([name, item]) => [name, withoutEmpty(item)] as const)
    .filter(([, item]) => isSet(item));
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
