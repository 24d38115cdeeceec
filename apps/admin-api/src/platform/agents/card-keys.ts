/** Where the public keys of cards are, below the public URL. */
export const CARD_KEYS_PATH = '.well-known/agent-card-keys.json';
