import { isRawNumber } from './exact-json';
import { isObject } from './is-object';

/** Maximum texts of one value; guardrails deny a body with as many. */
const TEXTS_MAX = 50_000;
/** A shorter number cannot be that of a card, an account or a person. */
const NUMBER_MIN = 1_000;

/**
 * Returns the text of a whole number of four digits or more. The numbers of a list of nothing but
 * numbers are one text, so that a vector is not thousands of texts. Null for any other value.
 */
export function numberText(value: unknown): string | null {
  if (!Array.isArray(value)) return digitsOf(value);
  const texts = value.every(isNumber) ? value.flatMap((item) => digitsOf(item) ?? []) : [];
  return texts.length === 0 ? null : texts.join(', ');
}

const isNumber = (value: unknown): boolean => typeof value === 'number' || isRawNumber(value);

function digitsOf(value: unknown): string | null {
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) >= NUMBER_MIN ? String(value) : null;
  return isRawNumber(value) ? value.rawJSON : null;
}

type Edit = (text: string) => string;
type Walk = (value: unknown, edit: Edit) => unknown;

/**
 * Returns the texts of a JSON value with free members, such as the arguments of a tool, in order:
 * names of members, strings, and numbers as `numberText` writes them, without empty ones. At most
 * 50,000.
 */
export const jsonTexts = (value: unknown): readonly string[] => found(withEditedTexts, value);

/** Returns the strings of a JSON value in order, without empty ones; at most 50,000. */
export const jsonStrings = (value: unknown): readonly string[] => found(withEditedStrings, value);

function found(walk: Walk, value: unknown): readonly string[] {
  const texts: string[] = [];
  walk(value, (text) => {
    if (text !== '' && texts.length < TEXTS_MAX) texts.push(text);
    return text;
  });
  return texts;
}

/**
 * Returns the value with each text of `jsonTexts` replaced by `edit`. A changed number, or list of
 * numbers, becomes its text. The same object when nothing changes.
 */
export const withEditedTexts: Walk = (value, edit) => edited(value, edit, true);

/**
 * Returns the value with each string replaced by `edit`, without names of members. The same object
 * when nothing changes.
 */
export const withEditedStrings: Walk = (value, edit) => edited(value, edit, false);

/** Edits strings; with `all`, also names of members and numbers. */
function edited(value: unknown, edit: Edit, all: boolean): unknown {
  if (typeof value === 'string') return edit(value);
  const text = all ? numberText(value) : null;
  if (text !== null) {
    const changed = edit(text);
    return changed === text ? value : changed;
  }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => edited(item, edit, all));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value) || isRawNumber(value)) return value;
  let isChanged = false;
  const members = Object.entries(value).map(([name, item]) => {
    const [editedName, editedItem] = [all ? edit(name) : name, edited(item, edit, all)];
    isChanged ||= editedName !== name || editedItem !== item;
    return [editedName, editedItem] as const;
  });
  return isChanged ? Object.fromEntries(members) : value;
}
