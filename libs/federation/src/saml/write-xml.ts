const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The text as it is written inside an element or an attribute in double quotes. */
export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (each) => ESCAPES[each] ?? each);
