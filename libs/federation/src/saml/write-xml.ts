const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for an element or for an attribute in double quotes. */
export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (each) => ESCAPES[each] ?? each);
