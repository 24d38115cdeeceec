import type { LogResponse } from '../../platform/logs/log-responses.dto';

/** A log of a trace with its child logs. */
export interface LogTreeNode {
  readonly log: LogResponse;
  readonly children: LogTreeNode[];
}

/**
 * Arranges the logs of one trace as a tree by their span ids. A log whose parent is unknown, or
 * that would be its own ancestor, is at the top level. Siblings are ordered by time.
 */
export function logTree(logs: readonly LogResponse[]): LogTreeNode[] {
  const nodes = [...logs]
    .sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id))
    .map((log): LogTreeNode => ({ log, children: [] }));
  const bySpan = new Map<string, LogTreeNode>();
  for (const node of nodes) {
    const { span_id: span } = node.log;
    if (span !== null && !bySpan.has(span)) bySpan.set(span, node);
  }
  const parents = new Map<LogTreeNode, LogTreeNode>();
  const roots: LogTreeNode[] = [];
  for (const node of nodes) {
    const parent = bySpan.get(node.log.parent_span_id ?? '');
    if (parent === undefined || isBelow(parent, node, parents)) {
      roots.push(node);
      continue;
    }
    parents.set(node, parent);
    parent.children.push(node);
  }
  return roots;
}

function isBelow(
  node: LogTreeNode,
  ancestor: LogTreeNode,
  parents: ReadonlyMap<LogTreeNode, LogTreeNode>,
): boolean {
  for (let at: LogTreeNode | undefined = node; at !== undefined; at = parents.get(at))
    if (at === ancestor) return true;
  return false;
}
