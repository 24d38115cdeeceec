import { EVENT_ID, load, parseEvents, type Event } from 'js-yaml';
import { isFields } from './values';

/** File and line of an item: `tollgate.yaml:12`. */
export type Places = WeakMap<object, string>;

/** Finds the lines at which the items of a file's lists start, list by list. */
function itemLines(source: string): number[][] {
  const lists: number[][] = [];
  let depth = 0;
  for (const event of parseEvents(source, {})) {
    if (event.type === EVENT_ID.POP) {
      depth -= 1;
      continue;
    }
    // Depth 3: the document, its mapping, a list in it.
    if (depth === 2 && event.type === EVENT_ID.SEQUENCE) lists.push([]);
    if (depth === 3) lists.at(-1)?.push(lineAt(source, offsetOf(event)));
    if (OPENS.has(event.type)) depth += 1;
  }
  return lists;
}

const OPENS = new Set<number>([EVENT_ID.DOCUMENT, EVENT_ID.MAPPING, EVENT_ID.SEQUENCE]);

function offsetOf(event: Event): number {
  if ('start' in event) return event.start;
  return 'anchorStart' in event ? event.anchorStart : 0;
}

const lineAt = (source: string, offset: number): number => source.slice(0, offset).split('\n').length;

/** Parses a YAML file and records the location of each list item in `places`. */
export function loadWithPlaces(source: string, file: string, places: Places): unknown {
  const content = load(source, { filename: file });
  if (!isFields(content)) return content;
  const lines = itemLines(source);
  const lists = Object.values(content).filter((list) => Array.isArray(list));
  // An object would reorder keys that look like numbers; no list has such a name.
  for (const [index, list] of lists.entries()) {
    for (const [at, item] of (list as unknown[]).entries()) {
      const line = lines[index]?.[at];
      if (isFields(item) && line !== undefined) places.set(item, `${file}:${String(line)}`);
    }
  }
  return content;
}
