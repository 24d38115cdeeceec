import type { WorkspaceEntity } from '@gw/entities';

/** Name format: `display` shows the emoji before the name, `plain` removes it. */
export type NameFormat = 'display' | 'plain';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Matches a grapheme that is an emoji, including flags, joined families, skin tones and keycaps. A
 * single digit or `©` is text.
 */
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\u20E3/u;

/** Removes the emoji at the start of the name, unless the name consists of this emoji only. */
export function withoutEmoji(name: string): string {
  const [first] = graphemes.segment(name);
  if (first === undefined || !EMOJI.test(first.segment)) return name;
  const rest = name.slice(first.segment.length).trimStart();
  return rest === '' ? name : rest;
}

/**
 * Returns the name with its emoji. The emoji is the icon of the workspace or, without an icon, the
 * one in the name itself.
 */
export function displayName(
  { name, icon }: Pick<WorkspaceEntity, 'name' | 'icon'>,
  format: NameFormat,
): string {
  if (icon === null) return format === 'plain' ? withoutEmoji(name) : name;
  return format === 'plain' ? name : `${icon} ${name}`;
}
