// A test fails when children in a list lack keys or share one: React writes that to the console
// alone, and then repeats or loses children.
const { format } = require('node:util');

const write = console.error;
/** @type {string[]} */
let reports = [];

console.error = (...values) => {
  const text = format(...values);
  if (/children with the same key|unique "key" prop/.test(text)) reports.push(text);
  else write(...values);
};

afterEach(() => {
  const [first] = reports;
  reports = [];
  if (first !== undefined) throw new Error(first);
});
