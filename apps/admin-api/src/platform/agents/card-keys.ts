/** Path of the public keys of agent cards, below the public URL. */
export const CARD_KEYS_PATH = '.well-known/agent-card-keys.json';
