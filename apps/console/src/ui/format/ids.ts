/** Number of characters of an id that lists show. */
export const ID_SHOWN = 18;

/** Shortens an id to its first 18 characters. */
export const shortId = (id: string): string => (id.length > ID_SHOWN ? id.slice(0, ID_SHOWN) : id);
