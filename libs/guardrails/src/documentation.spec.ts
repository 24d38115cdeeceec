import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CHECKS } from './checks';
import { compileGuardrail } from './compile';
import { ACTION_NAMES } from './document';
import { SCOPES } from './text/scope';

const ROOT = resolve(__dirname, '../../..');
const document = readFileSync(resolve(ROOT, 'docs/guardrails.md'), 'utf8');

describe('docs/guardrails.md', () => {
  it('has the tables generated from the catalogue and the labelled sentences', () => {
    const script = resolve(ROOT, 'tools/guardrails-doc.cjs');
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });

  it('contains only valid guardrails, and mentions every check, action and scope', () => {
    const example = /```json\n(.*?)```/s.exec(document)?.[1] ?? '';
    expect(compileGuardrail(JSON.parse(example))).toMatchObject({ ok: true });
    const names = [...CHECKS.map(({ id }) => id), ...ACTION_NAMES, ...SCOPES].map((name) => `\`${name}\``);
    expect(names.filter((name) => !document.includes(name))).toEqual([]);
  });
});
