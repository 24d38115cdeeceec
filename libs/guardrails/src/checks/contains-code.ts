import { defineCheck } from '../check';
import { reduceInOrder, then, type Eventually } from '../eventually';
import { NOT_PARAMETER, object, scopeParameter, textsOrEmpty } from '../parameters';
import { overRanges } from '../text/pieces';
import type { Scope } from '../text/scope';
import type { Pace } from '../work';

/** Formats, and the tags of fenced blocks that name them in addition to the format's own name. */
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
  doc: 'One of the texts contains a fenced block of code in the format, or in any format if none is given.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: true,
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
      evaluate(subject, pace) {
        const isWanted = (tag: string) => names === null || names.has(tag);
        const found = reduceInOrder(
          textsOrEmpty(subject, scope),
          false,
          (isFound, text) => isFound || hasFence(text, isWanted, pace),
        );
        return then(found, (isFound) => ({
          verdict: isFound !== not,
          data: { format: format ?? null, not },
        }));
      },
    };
  },
});

interface Fences {
  /** Position of the next line. */
  readonly at: number;
  /** The marker that closes the open block. */
  readonly fence: string | null;
  readonly isFound: boolean;
}

/**
 * Returns whether a fenced block has a wanted tag, in lower case; the tag is empty for a block
 * without one. An unclosed block counts, because streams may be cut.
 */
function hasFence(text: string, isWanted: (tag: string) => boolean, pace: Pace): Eventually<boolean> {
  const first: Fences = { at: 0, fence: null, isFound: false };
  const lines = (before: Fences, _from: number, to: number): Fences => {
    let state = before;
    while (!state.isFound && state.at < to) {
      const newline = text.indexOf('\n', state.at);
      const end = newline === -1 ? text.length : newline;
      const line = text.slice(state.at, Math.min(end, state.at + 200)).trim();
      state = { ...afterLine(state, line, isWanted), at: end + 1 };
    }
    return state;
  };
  return then(overRanges(text.length, first, lines, pace), ({ isFound }) => isFound);
}

function afterLine(state: Fences, line: string, isWanted: (tag: string) => boolean): Fences {
  const mark = line.startsWith('```') ? '```' : line.startsWith('~~~') ? '~~~' : null;
  if (mark === null) return state;
  if (state.fence !== null) return mark === state.fence ? { ...state, fence: null } : state;
  const tag = /^[`~]+\s*([^\s{,:`]*)/.exec(line)?.[1]?.toLowerCase() ?? '';
  return { ...state, fence: mark, isFound: isWanted(tag) };
}
