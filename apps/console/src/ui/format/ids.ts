/** Characters of an id that lists show. */
export const ID_SHOWN = 18;

/** The first 18 characters of an id. */
export const shortId = (id: string): string => (id.length > ID_SHOWN ? id.slice(0, ID_SHOWN) : id);
