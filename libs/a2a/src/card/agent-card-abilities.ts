import { isObject } from '@gw/kernel';
import type { AgentAbilities, PushMode } from '../protocol/agent-abilities';
import type { Members } from '../shapes/members';

/** Maximum number of extensions of one card that are read. */
const EXTENSIONS_MAX = 100;
const URI_LENGTH_MAX = 2_048;

/** Returns the extensions of a card of either version, without malformed ones. */
export function cardExtensions(card: Members): readonly (Members & { readonly uri: string })[] {
  const { extensions } = capabilitiesOf(card);
  if (!Array.isArray(extensions)) return [];
  return extensions.slice(0, EXTENSIONS_MAX).flatMap((extension: unknown) => {
    if (!isObject(extension)) return [];
    const { uri } = extension;
    return typeof uri === 'string' && uri !== '' && uri.length <= URI_LENGTH_MAX
      ? [{ ...extension, uri }]
      : [];
  });
}

const capabilitiesOf = ({ capabilities }: Members): Members => (isObject(capabilities) ? capabilities : {});

/**
 * Returns what an agent can do according to its card of either version. `push` is the setting of
 * the agent: the gateway relays notifications if the agent sends them, emulates them for other
 * agents if the setting is `emulate`, and sends none otherwise.
 */
export function abilitiesOf(card: Members, push: PushMode = 'relay'): AgentAbilities {
  const capabilities = capabilitiesOf(card);
  const extensions = cardExtensions(card);
  return {
    streaming: capabilities['streaming'] === true,
    push: pushMode(capabilities['pushNotifications'] === true, push),
    extendedCard:
      capabilities['extendedAgentCard'] === true || card['supportsAuthenticatedExtendedCard'] === true,
    extensions: extensions.map(({ uri }) => uri),
    requiredExtensions: extensions.filter(({ required }) => required === true).map(({ uri }) => uri),
  };
}

function pushMode(sends: boolean, setting: PushMode): PushMode {
  if (setting === 'off') return 'off';
  if (sends) return 'relay';
  return setting === 'emulate' ? 'emulate' : 'off';
}
