import { defineCheck } from '../check';
import { NOT_PARAMETER, object, scopeParameter, someTexts } from '../parameters';
import type { Scope } from '../text/scope';

/** Formats and the tags by which fenced blocks name them, besides the format's own name. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  SQL: ['postgres', 'postgresql', 'mysql', 'plsql', 'tsql'],
  Python: ['py', 'python3'],
  TypeScript: ['ts', 'tsx'],
  JavaScript: ['js', 'jsx', 'mjs', 'cjs', 'node'],
  Java: [],
  'C#': ['cs', 'csharp'],
  'C++': ['cpp', 'cc', 'cxx'],
  C: ['h'],
  Ruby: ['rb'],
  PHP: [],
  Swift: [],
  Kotlin: ['kt'],
  Go: ['golang'],
  Rust: ['rs'],
  Scala: [],
  R: [],
  Perl: ['pl'],
  Shell: ['sh', 'bash', 'zsh', 'console', 'shell-session', 'powershell', 'ps1'],
  HTML: [],
  CSS: ['scss'],
  XML: [],
  JSON: ['jsonc', 'json5'],
  YAML: ['yml'],
  Markdown: ['md'],
  Dockerfile: ['docker'],
};

export const containsCode = defineCheck<{ format?: string; not: boolean; scope: readonly Scope[] }>({
  id: 'default.containsCode',
  doc: 'One of the texts holds a fenced block of code of the format, or of any format where none is named.',
  kind: 'text',
  stages: ['input', 'output'],
  deterministic: true,
  wholeAnswer: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object({
    format: { enum: Object.keys(FORMATS) },
    not: NOT_PARAMETER,
    scope: scopeParameter('last_message'),
  }),
  example: { format: 'SQL', not: true, scope: ['last_message'] },
  prepare({ format, not, scope }) {
    const names = format === undefined ? null : new Set([format.toLowerCase(), ...(FORMATS[format] ?? [])]);
    return {
      evaluate(subject) {
        const found = someTexts(subject, scope)
          .flatMap(fencedTags)
          .some((tag) => names === null || names.has(tag));
        return { verdict: found !== not, data: { format: format ?? null, not } };
      },
    };
  },
});

/** Tags of the fenced blocks, in lower case; empty for a block without one. A block that never closes counts: streams may be cut. */
function fencedTags(text: string): readonly string[] {
  const tags: string[] = [];
  let fence: string | null = null;
  for (let at = 0; at <= text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(at, Math.min(end, at + 200)).trim();
    const mark = line.startsWith('```') ? '```' : line.startsWith('~~~') ? '~~~' : null;
    if (mark && fence === null) {
      fence = mark;
      tags.push(/^[`~]+\s*([^\s{,:`]*)/.exec(line)?.[1]?.toLowerCase() ?? '');
    } else if (mark === fence) fence = null;
    at = end + 1;
  }
  return tags;
}
