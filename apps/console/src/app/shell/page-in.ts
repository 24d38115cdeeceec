import { decodeFilter } from '../../url/filter';
import { parsePairs, writePairs } from '../../url/search-text';
import type { Workspace } from '../state/session-context';
import { inWorkspace } from './addresses';

/** Parameters that mean the same in every workspace: time, search text, order, columns and tail. */
const KEPT: ReadonlySet<string> = new Set(['t', 'q', 'sort', 'cols', 'size', 'live']);

/** Filter fields whose values name resources or requests of one workspace. */
const OF_WORKSPACE: ReadonlySet<string> = new Set([
  ...['key', 'config', 'config_version', 'credential', 'provider', 'prompt', 'integration', 'mcp_server'],
  ...['trace', 'span', 'parent_span'],
]);

const isKept = ([key, value]: readonly [string, string]): boolean => {
  if (key !== 'f') return KEPT.has(key);
  const filter = decodeFilter(value);
  return filter !== null && !OF_WORKSPACE.has(filter.field);
};

/**
 * Address of the same page in another workspace, with its time range and the filters that have a
 * meaning there. A detail page leads to its list, because the other workspace does not have the
 * resource.
 */
export function pageIn(workspace: Pick<Workspace, 'slug'>, path: string, search: string): string {
  const [, page = '', detail = ''] = /^\/w\/[^/]+\/([^/?]+)(\/[^/?]+)?/.exec(path) ?? [];
  const address = inWorkspace(page === '' ? '/w/$ws' : `/w/$ws/${page}`, workspace.slug);
  const isSamePage = path.startsWith('/w/') && detail === '';
  const kept = isSamePage ? writePairs(parsePairs(search).filter(isKept)) : '';
  return kept === '' ? address : `${address}?${kept}`;
}
