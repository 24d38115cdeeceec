import { defineCheck, type TextMatch } from '../check';
import { reduceInOrder, then, type Eventually } from '../eventually';
import { object, scopeParameter, textsOf } from '../parameters';
import { detectPii, detectPiiInTurns, PII_CATEGORIES, type PiiCategory } from '../pii/detect';
import { PiiFollower } from '../pii/pii-follower';
import { Placeholders } from '../pii/placeholders';
import { countLabels, replaceFindings } from '../text/replace';
import { OVERLAPPING, overPieces } from '../text/pieces';
import type { Subject } from '../subject';
import type { Scope } from '../text/scope';
import type { Pace } from '../work';

interface Parameters {
  readonly categories: readonly PiiCategory[];
  readonly redact: boolean;
  readonly reversible: boolean;
  readonly not: boolean;
  readonly scope: readonly Scope[];
}

export const pii = defineCheck<Parameters>({
  id: 'gw.pii',
  aliases: ['default.pii', 'default.redactPii'],
  doc: 'Finds personal data and secrets by format and checksum; fails, or replaces them with `redact`.',
  kind: 'text',
  stages: ['input', 'output'],
  // The contract of guardrails for MCP tools excludes checks for personal data.
  allowedForMcpTools: false,
  wholeResponse: false,
  transforms: true,
  timeoutMs: 2_000,
  parameters: object({
    categories: {
      type: 'array',
      items: { enum: PII_CATEGORIES },
      minItems: 1,
      maxItems: PII_CATEGORIES.length,
      default: PII_CATEGORIES,
    },
    redact: { type: 'boolean', default: false },
    reversible: {
      type: 'boolean',
      default: false,
      description: 'Uses numbered placeholders, which are replaced by the original texts in the response.',
    },
    not: {
      type: 'boolean',
      default: false,
      description: 'Fails when nothing is found; not allowed with `redact`.',
    },
    scope: scopeParameter('all'),
  }),
  example: {
    categories: ['EMAIL_ADDRESS', 'CREDIT_CARD', 'SECRET'],
    redact: true,
    reversible: true,
    not: false,
    scope: ['all'],
  },
  prepare({ categories, redact, reversible, not, scope }, report) {
    if (reversible && !redact)
      report(['reversible'], 'misplaced', 'has no effect without redact', reversible);
    if (redact && not) report(['not'], 'misplaced', 'has no effect together with redact', not);
    return {
      transforms: redact,
      ...(not
        ? {}
        : {
            window: {
              scope,
              lengthMax: 256,
              denies: !redact,
              find: (text) =>
                detectPii(text, categories).map((place) => ({
                  ...place,
                  replacement: redact ? `[${place.label}]` : null,
                })),
              follow: () => new PiiFollower(),
            },
          }),
      evaluate(subject, pace) {
        const texts = textsOf(subject, scope);
        const isReversible = redact && reversible && subject.stage === 'input';
        const placeholders = isReversible ? unusedPlaceholders(texts, pace) : null;
        const searched = then(placeholders, (given) =>
          search(subject, { categories, scope, placeholders: given, redact, pace }),
        );
        return then(searched, ({ edits, found, placeholders: given }) => {
          const data = { found: countLabels(found) };
          if (!redact) return { verdict: (found.length === 0) !== not, data };
          return {
            verdict: true,
            data,
            edits,
            ...(given ? { placeholders: given.originals } : {}),
          };
        });
      },
    };
  },
});

interface Search {
  readonly categories: readonly PiiCategory[];
  readonly scope: readonly Scope[];
  readonly placeholders: Placeholders | null;
  readonly redact: boolean;
  readonly pace: Pace;
}

/** Returns placeholders that none of the texts contains yet. */
const unusedPlaceholders = (texts: readonly string[], pace: Pace): Eventually<Placeholders> =>
  reduceInOrder(texts, new Placeholders(), (given, text) =>
    overPieces(text, given, (state, piece) => state.avoid(piece), { pace, overlap: OVERLAPPING }),
  );

interface Found {
  readonly placeholders: Placeholders | null;
  readonly edits: Map<number, string>;
  readonly found: TextMatch[];
}

function search(
  subject: Subject,
  { categories, scope, placeholders, redact, pace }: Search,
): Eventually<Found> {
  const passages = subject.passages();
  const first: Found = { edits: new Map(), found: [], placeholders };
  return reduceInOrder(subject.selected(scope), first, (state, position) => {
    const text = passages[position]?.text ?? '';
    return then(detectPiiInTurns(text, categories, pace), (places) => {
      if (places.length === 0) return state;
      const findings = places.map((place) => ({
        ...place,
        replacement:
          placeholders?.placeholderOf(place.label, text.slice(place.start, place.end)) ?? `[${place.label}]`,
      }));
      for (const finding of findings) state.found.push(finding);
      if (redact) state.edits.set(position, replaceFindings(text, findings));
      return state;
    });
  });
}
