import 'reflect-metadata';
import { runProgram } from './cli/run-program.js';

void runProgram(process.argv);
