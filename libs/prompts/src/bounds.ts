/** Bounds of one template and of one rendering of it. */
export const TEMPLATE_LIMITS = {
  /** Characters of a template. */
  length: 524_288,
  /** Tags of a template, closing ones and comments included. */
  tags: 10_000,
  /** Characters between the braces of a tag that is no comment. */
  tagLength: 512,
  /** Sections within one another. */
  depth: 16,
  /** Partials within one another. */
  partialDepth: 8,
  /** Partials that a template names. */
  partials: 100,
  /** Values, sections, rounds of a section and partials of one rendering, and what private partials are read into. */
  steps: 100_000,
  /** Objects, lists and commas of the JSON that a raw template renders to: it is parsed in one turn. */
  rawValues: 200_000,
} as const;
