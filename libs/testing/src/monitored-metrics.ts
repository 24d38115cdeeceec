import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(__dirname, '..', '..', '..', 'docker', 'monitoring');
const FILES = ['alerts.yaml', 'grafana-dashboard.json'] as const;

/**
 * Returns the metric families with a prefix such as `tollgate_journal` that the dashboard and the
 * alerts use.
 */
export function monitoredMetrics(prefix: string): readonly string[] {
  const names = FILES.flatMap((file) => [
    ...readFileSync(join(FOLDER, file), 'utf8').matchAll(/\b(?:tollgate|nodejs|process)_[a-z0-9_]+/g),
  ]).map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ''));
  return [...new Set(names)].filter((name) => name.startsWith(prefix)).sort();
}
