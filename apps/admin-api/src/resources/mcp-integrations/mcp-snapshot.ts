import type { StoredMcpServerInfo } from '@gw/entities';
import type { KeptCapabilities, ReadCapability } from '../../platform/upstreams/capability-changes';

export const SERVER_NAME = '@server';

/**
 * Facts that a server reports at one time, with its capabilities: tools, prompts, resources and
 * resource templates.
 */
export interface ServerSnapshot extends KeptCapabilities {
  readonly info: StoredMcpServerInfo;
}

/**
 * Returns the server itself as a capability, so that a change of its instructions needs the same
 * approval as that of a tool.
 */
export const serverCapability = (info: StoredMcpServerInfo): ReadCapability => {
  const { name, version, title, description, instructions } = info;
  const texts = Object.entries({ name, version, title, description, instructions });
  return {
    type: 'server',
    name: SERVER_NAME,
    definition: Object.fromEntries(texts.filter(([, text]) => text !== null)),
  };
};
