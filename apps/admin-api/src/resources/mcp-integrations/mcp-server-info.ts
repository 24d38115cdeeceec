import type { StoredMcpServerInfo } from '@gw/entities';
import { isStorableText, truncated } from '@gw/kernel';
import { own, ownList, type JsonObject } from '@gw/mcp';
import { isStorable } from '@gw/web';

const ICONS_MAX = 20;

/** Returns a member that is storable text, truncated to `lengthMax`; null for any other value. */
export function textOf(object: JsonObject, name: string, lengthMax: number): string | null {
  const value = own(object, name);
  return typeof value === 'string' && isStorableText(value) ? truncated(value, lengthMax) : null;
}

interface Described {
  readonly capabilities: JsonObject;
  readonly instructions: string | null;
  readonly revision: string;
}

/** Returns the server's information about itself in its stored form. */
export function infoOf(
  serverInfo: JsonObject,
  { capabilities, instructions, revision }: Described,
): StoredMcpServerInfo {
  return {
    name: textOf(serverInfo, 'name', 255),
    version: textOf(serverInfo, 'version', 255),
    title: textOf(serverInfo, 'title', 255),
    description: textOf(serverInfo, 'description', 16_384),
    websiteUrl: textOf(serverInfo, 'websiteUrl', 2_048),
    icons: ownList(serverInfo, 'icons')
      .slice(0, ICONS_MAX)
      .filter((icon) => isStorable(icon)),
    protocolVersion: revision,
    capabilities: isStorable(capabilities) ? capabilities : {},
    instructions: textOf({ instructions }, 'instructions', 65_536),
  };
}
