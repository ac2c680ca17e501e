// Documents that the server answers with: those of `--json` (docs/schema) and of package internal/view/api. Only what the
// page uses is named.

export interface Overview {
  name: string;
  recordings: number;
  version: string;
  command: string[];
  mpi: string;
  created: string;
  processes: number;
  threads: number;
  hosts: number;
  calls: number;
  bytes: number;
  hash: string;
  timed: boolean;
  grid?: Grid;
  banner: Banner;
  kinds: string[];
}

export interface Grid {
  lines: number;
  level: number;
  from_ns: number;
  to_ns: number;
  group: number;
  bins: number;
  max_rows: number;
  categories: string[];
  orders: string[];
  first: string[];
}

export interface OpenCall {
  func: string;
  site: string;
  world?: number;
  thread?: number;
  ranks: string;
  values?: string;
  begin_ns?: number;
}

export interface Banner {
  time_error_ns: number;
  clock_residual_ns: number;
  unmeasured_clocks: number;
  unfinished_calls: number;
  lost_calls: number;
  snapshot: string;
  incomplete: string;
}

export interface Line {
  rank: number;
  world: number;
  thread: number;
  host: string;
  class: number;
  calls: number;
  queue?: string;
}

export interface Lines {
  total: number;
  first: number;
  lines: Line[];
}

export interface TileRow {
  first: number;
  last: number;
  rank: number;
  last_rank: number;
  world: number;
  thread: number;
  threads: number;
  read: number;
  sum_ns: number[];
}

export interface TileHead {
  level: number;
  x: number;
  bins: number;
  value: string;
  categories: string[];
  exact: boolean;
  pending: number;
  blur_ns: number;
  rows: TileRow[];
  unsized?: number;
}

export interface Class {
  class: number;
  first: number;
  lines: number;
  world: number;
  thread: number;
  ranks: string;
  calls: number;
  in_calls_ns?: number;
  computation_ns?: number;
}

export interface Classes {
  total: number;
  classes: Class[];
}

export interface BandHead {
  level: number;
  x: number;
  bins: number;
  of: string;
  exact: boolean;
  rows: { class: number; lines: number; read: number }[];
}

export interface LaneCall {
  index: number;
  func: string;
  category: string;
  start_ns: number;
  end_ns: number;
  site: number;
  kernel: number;
  unfinished?: boolean;
  nested?: boolean;
}

export interface LaneLoop {
  level: number;
  name: string;
  iteration: number;
  last_iteration: number;
  of: number;
  start_ns: number;
  end_ns: number;
  step?: boolean;
}

export interface Region {
  level: number;
  name: string;
  times: number;
  start_ns: number;
  end_ns: number;
}

export interface Lane extends Omit<Line, "calls"> {
  from_ns: number;
  to_ns: number;
  total: number;
  calls: LaneCall[] | null;
  loops: LaneLoop[] | null;
  regions: Region[] | null;
  sites: string[] | null;
  kernels: Kernel[] | null;
}

export interface Kernel {
  name: string;
  short: string;
}

export type Json = null | boolean | number | string | Json[] | { [k: string]: Json };

export interface Frame {
  func?: string;
  file?: string;
  line?: number;
  last_line?: number;
  code?: string;
  offset?: number;
}

export interface Call {
  index: number;
  func: string;
  in: Record<string, Json>;
  out: Record<string, Json>;
  ret: number;
  error?: string;
  flags?: string[];
  site?: Frame[];
  start_ns?: number;
  end_ns?: number;
}

export interface Calls {
  rank: number;
  world: number;
  thread: number;
  total: number;
  queue?: string;
  kernels?: Record<string, Kernel>;
  calls: Call[];
}

export interface SlowStep {
  step: number;
  begin_ns: number;
  length_ns: number;
  cause: string;
  process: number;
  excess_ns: number;
}

export interface Steps {
  total: number;
  stride: number;
  region?: string;
  loop?: string;
  begin_ns: number[];
  length_ns: number[];
  mean_ns: number[];
  computation_ns: number[];
  median_ns: number;
  slow: SlowStep[] | null;
}

export interface StepAt {
  step: number;
  total: number;
  begin_ns: number;
  end_ns: number;
  ranks: number;
  rank: number;
  thread: number;
  from: number;
  to: number;
}

export interface Arrow {
  from: number;
  to: number;
  begin_ns: number;
  end_ns: number;
  posted_ns: number;
  wait_ns: number;
  bytes: number;
  tag: number;
  communicator: number;
  send: number;
  receive: number;
}

export interface Arrows {
  total: number;
  arrows: Arrow[] | null;
  bundles: { from: number; to: number; messages: number; bytes: number }[] | null;
  formulas: { func: string; site: string; ranks: string; text: string; calls: number }[] | null;
}

export interface InFlightRow {
  rank: number;
  last_rank: number;
  processes: number;
  mean_bytes: number[];
  peak_bytes: number[];
  most_bytes: number;
  most_rank: number;
  most_ns: number;
  requests: number;
  unsized: number;
  open: number;
}

export interface InFlight {
  from_ns: number;
  to_ns: number;
  bin_ns: number;
  rows: InFlightRow[];
}

export interface FunctionNest {
  timed: boolean;
  complete: boolean;
  places: { depth: number; name: string; calls: number; own_ns: number }[];
}

export interface Hit {
  kind: string;
  text: string;
  select: Record<string, string> | null;
  calls: number;
  rank: number;
  thread: number;
  call: number;
}

export interface Hits {
  query: string;
  hits: Hit[] | null;
  more: boolean;
}

export interface Code {
  title: string;
  text: string;
  lines: number;
  notes: string[] | null;
}

export interface Finding {
  kind: string;
  cost_ns: number;
  share: number;
  process: number;
  func?: string;
  site?: string;
  step: number;
  text: string;
  command: string[] | null;
}

export interface Spread {
  processes: number;
  sum_ns: number;
  mean_ns: number;
  min_ns: number;
  max_ns: number;
  imbalance_ns: number;
  least: number;
  most: number;
}

export interface Bin {
  from_ns: number;
  to_ns: number;
  count: number;
}

export interface PlaceTime {
  func: string;
  site: string;
  group: string;
  calls: number;
  mpi: Spread;
  computation_before: Spread;
  durations: { count: number; p10_ns: number; p50_ns: number; p90_ns: number; p99_ns: number; bins?: Bin[] };
}

export interface Sum {
  count: number;
  time_ns: number;
  max_ns: number;
}

export interface Report {
  command: string[];
  processes: number;
  elapsed_ns?: number;
  efficiency?: { parallel: number; load_balance: number; communication: number };
  ranks?: {
    process: number;
    begin_ns: number;
    end_ns: number;
    mpi_ns: number;
    computation_ns: number;
    calls: number;
  }[];
  groups?: { name: string; calls: number; time_ns: number }[];
  calls?: PlaceTime[];
  waits?: Record<string, Sum>;
  findings: Finding[];
  open_calls?: OpenCall[];
  not_recorded?: unknown[];
  incomplete?: string;
}

export interface Place {
  func: string;
  site: string;
}

export interface Waits {
  elapsed_ns: number;
  total: Sum;
  received_before_sent: Sum;
  kinds: Record<string, Sum>;
  causes: {
    process: number;
    late: Place;
    time_ns: number;
    waits: number;
    steps: number;
    worst_step: number;
    worst_step_ns: number;
  }[];
  waits: (Sum & {
    kind: string;
    waiting: Place;
    late: Place;
    waiters: { process: number; time_ns: number }[] | null;
    causers: { process: number; time_ns: number }[] | null;
  })[];
  processes: { process: number; waited_ns: Record<string, number>; caused_ns: number; root_ns: number }[];
  steps: { step: number; time_ns: number; cause: number; cause_ns: number }[];
}

export interface ProfileRow {
  func?: string;
  site?: Frame[];
  comm?: { id: number; name: string };
  world?: number;
  rank?: number;
  ranks: number;
  calls: number;
  bytes: number;
  elapsed_ns?: number;
  times?: { calls: number; total_ns: number; mean_ns: number; max_ns: number };
}

export interface Profile {
  by: string[];
  ranks: number;
  calls: number;
  bytes: number;
  time_ns?: number;
  elapsed_ns?: number;
  rows: ProfileRow[];
}

export interface LoopNode {
  kind: string;
  min: number;
  max: number;
  func?: string;
  site?: Frame[];
  params?: { name: string; values: string[]; more?: boolean; relation?: string }[];
  block?: number;
  calls: number;
  share_of_calls: number;
  share_of_time?: number;
  time_step?: boolean;
  body?: LoopNode[];
}

export interface Loops {
  classes: {
    world: number;
    thread: number;
    ranks: string;
    members: number;
    calls: number;
    body: LoopNode[];
    blocks?: LoopNode[][];
  }[];
}

export interface Matrix {
  kind: string;
  processes: number;
  worlds: { world: number; first: number; size: number }[];
  missing: number;
  totals: Record<string, { messages: number; bytes: number; nowhere: number; unsized: number }>;
  bins: number;
  columns: string[];
  cells: number[][] | null;
}

export interface Histograms {
  histograms: {
    kind: string;
    func?: string;
    site?: Frame[];
    messages: number;
    bytes: number;
    unsized: number;
    min: number;
    max: number;
    bins: { from: number; to: number; messages: number; bytes: number }[];
    top: { bytes: number; messages: number }[];
  }[];
}

export interface Messages {
  messages: number;
  bytes: number;
  guessed: number;
  collectives: number;
  unmatched_sends: number;
  unmatched_receives: number;
  unmatched: {
    kind: string;
    function: string;
    site: string;
    reason: string;
    count: number;
    bytes: number;
    processes: string;
    first: { process: number; stream: number; call: number; peer: number | null; tag: number | null };
  }[];
  incomplete: { function: string; site: string; number: number; members: number; missing: number; present: string }[];
}

export interface Comms {
  communicators: {
    id: number;
    name: string;
    how: string;
    parent?: number;
    size: number;
    members: string;
    labels?: string[];
    site?: string;
    made: number;
    freed: number;
  }[];
}

export interface Diff {
  a: string;
  b: string;
  same: boolean;
  total_differences: number;
  differences: {
    kind: string;
    text: string;
    ranks: string;
    num_ranks: number;
    func?: string;
    site?: string;
    count: number;
    call_a: number;
    call_b: number;
    world?: number;
    thread?: number;
    only_a?: boolean;
    loops?: { place?: string; step?: boolean; iteration: number; iterations: number }[];
  }[];
  times?: {
    elapsed_a_ns: number;
    elapsed_b_ns: number;
    calls_a_ns: number;
    calls_b_ns: number;
    sites: { func: string; site?: string; a_ns: number; b_ns: number; calls_a: number; calls_b: number }[];
  };
  notes: string[];
}

export interface Outliers {
  variants: { ranks: string; calls: number; group: number }[];
  outliers: {
    variant: number;
    of: number;
    kind: string;
    what: string;
    func: string;
    site: string;
    call: number;
    differences: number;
    loop?: string;
    iteration?: number;
  }[];
}
