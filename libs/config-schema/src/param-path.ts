import { CONFIG_LIMITS } from './bounds';
import { isForbiddenName } from './names';

/** A member's name, an index of a list, or `EVERY_ITEM`. */
export type PathSegment = string | number;

/** The segment for `[*]`. */
export const EVERY_ITEM = -1;

export interface ParamPath {
  /** The path as written: `messages[*].content[0].text`. */
  readonly text: string;
  readonly segments: readonly PathSegment[];
}

const SEGMENT = /(?:^|(?<!^)\.)([^.[\]]+)|\[(\d{1,6}|\*)\]/y;

/**
 * Parses a path of names, `[i]` and `[*]`. Returns an error message for an invalid path; never
 * throws.
 */
export function parseParamPath(text: string): ParamPath | string {
  if (text.length > CONFIG_LIMITS.dropPathLengthMax) {
    return `A path has at most ${String(CONFIG_LIMITS.dropPathLengthMax)} characters.`;
  }
  const segments: PathSegment[] = [];
  SEGMENT.lastIndex = 0;
  let end = 0;
  for (let match = SEGMENT.exec(text); match; match = SEGMENT.exec(text)) {
    end = SEGMENT.lastIndex;
    const [, name, index] = match;
    if (name !== undefined) segments.push(name);
    else segments.push(index === '*' ? EVERY_ITEM : Number(index));
  }
  if (end !== text.length || typeof segments[0] !== 'string') {
    return 'Not a path: write member names with dots, list items as [0] or [*].';
  }
  if (segments.some((segment) => typeof segment === 'string' && isForbiddenName(segment))) {
    return 'The path names a member that no JSON body may have.';
  }
  return Object.freeze({ text, segments: Object.freeze(segments) });
}
