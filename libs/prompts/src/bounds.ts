/** Bounds of one template and of one rendering of it. */
export const TEMPLATE_LIMITS = {
  /** Characters of a template. */
  length: 524_288,
  /** Tags of a template, including closing tags and comments. */
  tags: 10_000,
  /** Characters between the braces of a tag other than a comment. */
  tagLength: 512,
  /** Levels of nested sections. */
  depth: 16,
  /** Levels of nested partials. */
  partialDepth: 8,
  /** Partials that a template names. */
  partials: 100,
  /**
   * Values, sections, section iterations and partials of one rendering, plus the nodes of parsed
   * private partials.
   */
  steps: 100_000,
  /**
   * Objects, lists and commas of the JSON that a raw template renders to, which is parsed in one
   * event-loop turn.
   */
  rawValues: 200_000,
} as const;
