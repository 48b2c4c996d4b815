import { Session } from 'node:inspector/promises';

/** Layers of a sample: the innermost function that matches one of these decides. */
const LAYERS = [
  ['garbage collection', /^\(garbage collector\)/],
  ['HTTP of Node', /^\S* ?node:(_http|internal\/http|internal\/js_stream_socket)/],
  ['hashes and tokens', /node:(internal\/)?crypto|node_modules\/(jsonwebtoken|jws|jwa|jose|@node-rs)\//],
  ['driver of PostgreSQL', /node_modules\/(pg|pg-[a-z]+)\/|dist\/src\/platform\/database\//],
  ['TypeORM', /node_modules\/typeorm\//],
  ['Fastify', /node_modules\/(fastify|@fastify|find-my-way|fast-[a-z-]+|secure-json-parse|avvio)\//],
  ['Nest', /node_modules\/(@nestjs|rxjs|class-validator|class-transformer|reflect-metadata|passport[a-z-]*)\//],
  ['who may', /dist\/src\/identity\//],
  ['sign-in', /dist\/src\/sign-in\//],
  ['content: parse, resolve, plan', /dist\/src\/data\/content\/(parse|resolve|plan|compile)\//],
  ['content: execute, answer', /dist\/src\/data\//],
  ['around every request', /dist\/src\//],
  ['by hand', /bench\/bare/],
];
const NODE = 'sockets and loop of Node';
/** The sending system calls. They wake the receiver and cost more if the other side sleeps. */
const SENDS = /^(writev|write(Utf8|Latin1|Ascii)String|writeBuffer) ?$/;
const SENT = { 'driver of PostgreSQL': 'sending to PostgreSQL', 'HTTP of Node': 'sending answers' };
const LAYER_NAMES = [...LAYERS.map(([layer]) => layer), ...Object.values(SENT), NODE];
let session;

export async function startSampling() {
  session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 100 });
  await session.post('Profiler.start');
}

/** Stops sampling and returns the share of each layer in the busy time. */
export async function stopSampling() {
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const { id, children = [] } of profile.nodes) for (const child of children) nodes.get(child).parent = id;
  const micros = new Map();
  profile.samples.forEach((id, index) => {
    const layer = layerOf(nodes, id);
    micros.set(layer, (micros.get(layer) ?? 0) + profile.timeDeltas[index]);
  });
  micros.delete('(idle)');
  const sum = [...micros.values()].reduce((total, one) => total + one, 0);
  return Object.fromEntries([...micros].map(([layer, one]) => [layer, one / sum]));
}

function layerOf(nodes, leaf) {
  const { functionName, url } = nodes.get(leaf).callFrame;
  const layer = knownLayer(nodes, leaf);
  return (SENDS.test(`${functionName} ${url}`) && SENT[layer]) || layer;
}

function knownLayer(nodes, leaf) {
  for (let node = nodes.get(leaf); node !== undefined; node = nodes.get(node.parent)) {
    const { functionName, url } = node.callFrame;
    if (functionName === '(idle)') return functionName;
    const found = LAYERS.find(([, known]) => known.test(`${functionName} ${url}`));
    if (found !== undefined) return found[0];
  }
  return NODE;
}

export function reportLayers(name, ours, bare) {
  const cell = (side, layer) => ((side.layers[layer] ?? 0) * side.cpu).toFixed(1).padStart(10);
  console.log(`\n${name}: µs of the service a request, ours and bare`);
  for (const layer of LAYER_NAMES) {
    if (ours.layers[layer] === undefined && bare.layers[layer] === undefined) continue;
    console.log(`  ${layer.padEnd(32)}${cell(ours, layer)}${cell(bare, layer)}`);
  }
}
