/**
 * Jest's runner, which runs many test files as one: each file that jest runs has a module registry of its own, and to load
 * the application into it costs more than most files take. What it tells is still told file by file. See docs/internals/adr/0002.
 */
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, relative } = require('node:path');
const { formatResultsErrors } = require('jest-message-util');
const { default: JestRunner } = require('jest-runner');

/**
 * Files of a suite. Fewer load the application more often; more spread worse over the workers. Those that start processes
 * load little and take long.
 */
const MOST_FILES = { process: 1, otherwise: 14 };
/**
 * Words by which a file speaks for everything that is loaded with it: it stays alone. An application refuses hooks that it does not
 * have.
 */
const SAYS_FOR_ALL =
  /^\s*jest\.(retryTimes|mock|doMock|resetModules|isolateModules)\(|^ \* @jest-environment|@(?:On[A-Z]\w+|TokenClaim|PrepareWrite|BeforeWrite|AfterWrite|AfterCommit)\(|\/(?:library|life-diary)\.js'/m;
/** A guess for files that have not been run on this machine, and say nothing by a timeout of their own. */
const UNKNOWN_MS = { process: 25_000, otherwise: 4_000 };
/** Share of a timeout that is taken: a file that is given three minutes at most takes about one. */
const OF_TIMEOUT = 1 / 3;
const TIMEOUT = /^jest\.setTimeout\(([\d_]+)\)/m;

/** Members that a suite's result has once, since they are about none of the files alone. */
const NOTHING_MORE = {
  console: undefined,
  coverage: undefined,
  v8Coverage: undefined,
  snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
};

module.exports = class SuiteRunner extends JestRunner {
  /** By the path that jest's runner is given in place of the files. */
  #suites = new Map();

  async runTests(tests, watcher, options) {
    const directory = mkdtempSync(join(tmpdir(), 'lintel-suites-'));
    try {
      const suites = suitesOf(tests).map((files, index) => makeSuite(files, join(directory, `suite-${index}.cjs`)));
      this.#suites = new Map(suites.map((suite) => [suite.path, suite]));
      // The longest first, so that none begins when the other workers are nearly done.
      suites.sort((one, other) => other.duration - one.duration);
      await super.runTests(suites, watcher, options);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** Hands on what jest's runner tells of a suite as if it were told of each of its files. */
  on(eventName, listener) {
    return super.on(eventName, async ([subject, ...rest]) => {
      const suite = this.#suites.get(typeof subject === 'string' ? subject : subject.path);
      if (suite === undefined) return listener([subject, ...rest]);
      if (typeof subject === 'string') {
        const [name, ...ancestorTitles] = rest[0].ancestorTitles;
        const file = suite.files.find((one) => nameOf(one) === name);
        return listener([file.path, { ...rest[0], ancestorTitles }]);
      }
      for (const file of suite.files) {
        await listener([file, ...(eventName === 'test-file-success' ? [this.#resultOf(file, suite, rest[0])] : rest)]);
      }
    });
  }

  /** Returns the part of a suite's result that is about one file. What belongs to none (what was printed) stands with the first. */
  #resultOf(file, suite, result) {
    const name = nameOf(file);
    const testResults = result.testResults
      .filter(({ ancestorTitles }) => ancestorTitles[0] === name)
      .map((test) => ({
        ...test,
        ancestorTitles: test.ancestorTitles.slice(1),
        fullName: test.fullName.slice(name.length + 1),
      }));
    const count = (...states) => testResults.filter(({ status }) => states.includes(status)).length;
    const runtime = testResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
    const { config } = file.context;
    return {
      ...result,
      ...(file === suite.files[0] ? {} : NOTHING_MORE),
      testFilePath: file.path,
      testResults,
      failureMessage: formatResultsErrors(testResults, config, this._globalConfig, file.path),
      numPassingTests: count('passed'),
      numFailingTests: count('failed'),
      numPendingTests: count('pending'),
      numTodoTests: count('todo'),
      skipped: testResults.length > 0 && testResults.every(({ status }) => status === 'pending'),
      perfStats: { ...result.perfStats, runtime, slow: runtime > config.slowTestThreshold * 1_000 },
    };
  }
};

/** Returns the files in the order of their paths, so that the same files always stand together, those of one folder first. */
function suitesOf(tests) {
  const alone = tests.filter(({ path }) => SAYS_FOR_ALL.test(readFileSync(path, 'utf8')));
  const projects = new Set(tests.map(({ context }) => context));
  const together = [...projects].map((project) =>
    tests
      .filter((test) => test.context === project && !alone.includes(test))
      .sort((one, other) => (one.path < other.path ? -1 : 1)),
  );
  return [...alone.map((test) => [test]), ...together.filter((files) => files.length > 0).flatMap(inParts)];
}

function inParts(files) {
  const size = Math.ceil(files.length / Math.ceil(files.length / ofKind(MOST_FILES, files[0])));
  return Array.from({ length: Math.ceil(files.length / size) }, (_, at) => files.slice(at * size, (at + 1) * size));
}

/** Returns what jest's runner is given: a file that requires the others, each in a block that is called by its path. */
function makeSuite(files, path) {
  const duration = files.reduce((sum, file) => sum + (file.duration ?? guessedMs(file)), 0);
  const [{ context }] = files;
  const lines = files.map(
    (file) =>
      `describeFile(${[kindOf(file), nameOf(file), file.path].map((text) => JSON.stringify(text)).join(', ')});`,
  );
  const header = `const describeFile = require(${JSON.stringify(join(__dirname, 'describe-file.cjs'))});`;
  writeFileSync(path, [header, ...lines, ''].join('\n'));
  return { files, path, context, duration };
}

/**
 * Guesses how long a file takes. The longest ones, of a process kind, have a timeout of their own: they begin first, also on a machine
 * that has run nothing yet.
 */
function guessedMs(file) {
  const unknown = ofKind(UNKNOWN_MS, file);
  const timeout = TIMEOUT.exec(readFileSync(file.path, 'utf8'))?.[1].replaceAll('_', '');
  return unknown === UNKNOWN_MS.process && timeout !== undefined ? Number(timeout) * OF_TIMEOUT : unknown;
}

/** Returns what a table says of the kind of tests that a file is of. */
function ofKind(table, file) {
  return table[kindOf(file)] ?? table.otherwise;
}

function kindOf({ context }) {
  return context.config.displayName?.name ?? '';
}

function nameOf({ path, context }) {
  return relative(context.config.rootDir, path);
}
