package main

// hook is what a wrapper does besides recording: C statements, by where they stand in it.
type hook struct {
	Enter    string            // before TB_ENTER, recorded or not
	Begin    string            // after the entry values
	Pending  string            // right before the real function, with the entry published
	Prepare  string            // right before the real function, recorded or not; needs cleanup
	Success  string            // after success, before the return values
	After    string            // after tb_commit
	Cleanup  string            // at the end, recorded or not
	Replaced map[string]string // arguments that are passed on changed
}

// hooks are the functions that do more than record.
var hooks = map[string]hook{
	"MPI_Init":                  {After: "tb_hook_init(&tb_c, tb_r);"},
	"MPI_Init_thread":           {After: "tb_hook_init(&tb_c, tb_r);"},
	"MPI_Session_init":          {After: "tb_hook_init(&tb_c, tb_r);"},
	"MPI_Session_finalize":      {After: "tb_hook_session_end(tb_r);"},
	"MPI_Finalize":              {Pending: "tb_hook_finalizing(&tb_c);", After: "tb_hook_finalize(&tb_c, tb_r);"},
	"MPI_Pcontrol":              {Enter: "tb_hook_pcontrol(level);"},
	"MPI_Info_set":              {Enter: "tb_hook_info_set(key, value);"},
	"MPI_Request_free":          {Begin: "if (tb_unlikely(tb_wild)) tb_wild_freed(request);"},
	"MPI_Free_mem":              {Begin: "tb_hook_mpi_memory_free(&tb_c, base);"},
	"MPI_Win_free":              {Begin: "tb_window_free(&tb_c, win);"},
	"MPI_Alloc_mem":             {Success: "if (baseptr != NULL) tb_hook_mpi_memory(&tb_c, *(void **)baseptr, size);"},
	"MPI_Win_allocate":          allocates,
	"MPI_Win_allocate_c":        allocates,
	"MPI_Win_allocate_shared":   allocates,
	"MPI_Win_allocate_shared_c": allocates,
	"MPI_Comm_spawn": {
		Enter:    "struct tb_spawn tb_s;",
		Prepare:  "tb_hook_spawn(&tb_s, command, argv, info, root, comm);",
		Cleanup:  "tb_spawn_free(&tb_s);",
		Replaced: map[string]string{"command": "tb_s.command", "argv": "tb_s.argv"},
	},
	"MPI_Comm_spawn_multiple": {
		Enter:    "struct tb_spawn tb_s;",
		Prepare:  "tb_hook_spawn_multiple(&tb_s, count, array_of_commands, array_of_argv, array_of_info, root, comm);",
		Cleanup:  "tb_spawn_free(&tb_s);",
		Replaced: map[string]string{"array_of_commands": "tb_s.commands", "array_of_argv": "tb_s.argvs"},
	},
}

var allocates = hook{Success: "if (baseptr != NULL) tb_window_memory(&tb_c, win, *(void **)baseptr, size);"}
