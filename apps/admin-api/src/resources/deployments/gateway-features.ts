import type { GatewayWarningResponse } from './gateways.dto';

/** Features that an older gateway ignores without an error. */
const FEATURES: readonly { readonly feature: string; readonly since: string; readonly effect: string }[] = [
  {
    feature: 'block_inline_config',
    since: '2.11.0',
    effect: 'inline configuration is not blocked',
  },
  {
    feature: 'mcp_tool_rate_limits',
    since: '2.18.0',
    effect: 'calls of MCP tools are not rate limited',
  },
];

/** Returns a warning for each feature that this version lacks. Versions have the form `2.11.0`. */
export const warningsFor = (version: string): GatewayWarningResponse[] =>
  FEATURES.filter(({ since }) => isOlder(version, since)).map(({ feature, since, effect }) => ({
    feature,
    minimum_version: since,
    message: `On version ${version} ${effect}: ${feature} needs ${since}.`,
  }));

function isOlder(version: string, other: string): boolean {
  const wanted = other.split('.').map(Number);
  for (const [index, part] of version.split('.').map(Number).entries()) {
    const difference = part - (wanted[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
