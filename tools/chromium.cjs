// The browser of the console's journeys.
const { accessSync, constants } = require('node:fs');
const { delimiter, join } = require('node:path');

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** @param {string} path */
const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Returns CHROMIUM_PATH, else a Chromium on the PATH; null if there is none. */
function chromiumPath({ CHROMIUM_PATH, PATH = '' } = process.env) {
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null;
}

module.exports = { chromiumPath };
