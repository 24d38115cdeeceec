import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CONFIG_SCHEMA, compileConfig, parseConfig, STRATEGIES } from './index';

const document = readFileSync(resolve(__dirname, '../../../docs/configs.md'), 'utf8');
const examples = [...document.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => json ?? '');

describe('docs/configs.md', () => {
  it.each(examples)('contains only valid configs: example %#', (example) => {
    const result = parseConfig(example);
    expect(result).toMatchObject({ ok: true });
    if (result.ok) expect(compileConfig(result.config).targets.length).toBeGreaterThan(0);
  });

  it('has an example of every mode, and mentions every member of a config', () => {
    const { config } = CONFIG_SCHEMA.$defs;
    const { retry, cache } = config.properties;
    const strategy = config.properties.strategy as { readonly properties: Record<string, object> };
    const { cb_config, sticky } = strategy.properties as Record<string, { readonly properties: object }>;
    for (const { mode } of STRATEGIES) expect(examples.join('\n')).toContain(`"mode": "${mode}"`);
    const members = [config, strategy, retry, cache, cb_config, sticky, cache.properties.embeddings].flatMap(
      (schema) => Object.keys(schema?.properties ?? {}),
    );
    // The plural spelling is accepted for compatibility and not recommended.
    const missing = members.filter((name) => name !== 'use_retry_after_headers' && !document.includes(name));
    expect(missing).toEqual([]);
  });
});
